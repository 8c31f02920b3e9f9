/**
 * Makes documents of HTML by programs of other hands. They are tools of the measurements and are not shipped: pandoc is
 * under the GPL, typst under Apache 2.0.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import chromium from '@sparticuz/chromium';
import { runChromium } from '../../../adapters/browser/run-chromium.ts';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { installPython } from '../../shared/virtual-environment.ts';
import { unpackDebian } from '../systems/debian-packages.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 120_000;

/** How HTML becomes a document. */
export const TYPESETTERS = {
  DOCX: { type: 'docx', make: makeDocx },
  print: { type: 'pdf', make: (html: string, path: string) => print(html, path, PLAIN) },
  'print in two columns': {
    type: 'pdf',
    make: (html: string, path: string) => print(html, path, TWO_COLUMNS),
  },
  'typst in two columns': { type: 'pdf', make: makeTypst },
} as const;

export type Typesetter = keyof typeof TYPESETTERS;

/**
 * The path of a document in the project's cache, which is made if it is missing.
 *
 * @throws Error if a program is not available or fails
 */
export async function typeset(by: Typesetter, html: string): Promise<string> {
  const { type, make } = TYPESETTERS[by];
  const key = createHash('sha256').update(`${make.toString()}${PLAIN}${TWO_COLUMNS}${COLUMNS}${html}`);
  const folder = join(PROJECT_ROOT, '.cache', 'typeset');
  const path = join(folder, `${key.digest('hex').slice(0, 16)}.${type}`);
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  const draft = await mkdtemp(join(tmpdir(), 'darkroom-typeset-'));
  try {
    const made = join(draft, `made.${type}`);
    await make(`<meta charset="utf-8">${html}`, made);
    await run('cp', [made, `${path}.draft`]);
    await rename(`${path}.draft`, path);
    return path;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const PANDOC = 'import pypandoc; print(pypandoc.get_pandoc_path())';

async function programs(): Promise<{ python: string; pandoc: string }> {
  const requirements = fileURLToPath(new URL('typesetters.txt', import.meta.url));
  const proof: [string, string, string] = ['bin/python', '-c', 'import pypandoc, typst'];
  const python = join(await installPython({ name: 'typesetters', requirements, proof }), 'bin', 'python');
  return { python, pandoc: (await run(python, ['-c', PANDOC])).stdout.trim() };
}

async function makeDocx(html: string, path: string): Promise<void> {
  const { pandoc } = await programs();
  await writeFile(`${path}.html`, html);
  await run(pandoc, ['-f', 'html', '-t', 'docx', '-o', path, `${path}.html`], { timeout: TIMEOUT_MS });
}

/** As LaTeX sets articles: its font, its gutter, justified and hyphenated. */
const COLUMNS = `
#set page(paper: "a4", margin: 2cm, columns: 2, numbering: "1")
#set columns(gutter: 1em)
#set text(font: "New Computer Modern", size: 10pt)
#set par(justify: true, first-line-indent: 1.5em, spacing: .65em)
#set table(stroke: none, inset: 3pt)
#show table: it => block(width: 100%, stroke: (top: .8pt, bottom: .8pt), it)
#show table: set text(size: 7pt)
#show table: set par(justify: false)
#show raw: set text(size: 6pt)
#show figure: set block(breakable: true)
#let horizontalrule = line(length: 100%)
`;
const COMPILE = 'import sys, typst; typst.compile(sys.argv[1], output=sys.argv[2])';

async function makeTypst(html: string, path: string): Promise<void> {
  const { pandoc, python } = await programs();
  const [page, source] = [`${path}.html`, `${path}.typ`];
  await writeFile(page, html);
  const { stdout } = await run(pandoc, ['-f', 'html', '-t', 'typst', page], {
    timeout: TIMEOUT_MS,
    maxBuffer: 2 ** 26,
  });
  await writeFile(source, COLUMNS + stdout);
  await run(python, ['-c', COMPILE, source, path], { timeout: TIMEOUT_MS });
}

const PLAIN = `
  @page { size: A4; margin: 2cm }
  body { font: 10.5pt/1.35 Sans }
  pre { font: 7.5pt/1.3 Mono; white-space: pre-wrap; overflow-wrap: anywhere }
  code, tt, kbd, samp { font-family: Mono }
  table { border-collapse: collapse; font-size: 9pt; overflow-wrap: anywhere }
  th, td { border: .5pt solid #888; padding: 3pt; text-align: left; vertical-align: top }
`;
const TWO_COLUMNS = `
  @page { size: A4; margin: 1.8cm }
  body { font: 9.5pt/1.25 Serif; text-align: justify; column-count: 2; column-gap: 1em; margin: 0 }
  pre { font: 6pt/1.2 Mono; white-space: pre-wrap; overflow-wrap: anywhere; text-align: left }
  code, tt, kbd, samp { font-family: Mono; overflow-wrap: anywhere }
  table { border-collapse: collapse; font-size: 7pt; width: 100%; overflow-wrap: anywhere; border: solid black; border-width: .8pt 0 }
  th, td { padding: 2pt 4pt; text-align: left; vertical-align: top }
  th { border-bottom: .5pt solid black }
  ul, ol, dd { margin-left: 1.2em; padding-left: 0 }
`;
const FAMILIES = ['Sans', 'Serif', 'Mono'];
const FACES = ['Regular', 'Bold', 'Italic', 'BoldItalic'];

/** Prints as a browser does, in the metric equivalents of Arial, Times and Courier. */
async function print(html: string, path: string, style: string): Promise<void> {
  const root = await unpackDebian('fonts-liberation', ['fonts-liberation']);
  const fonts = join(root, 'usr/share/fonts/truetype/liberation');
  const faces = FAMILIES.flatMap((family) =>
    FACES.map(async (face) => {
      const font = await readFile(join(fonts, `Liberation${family}-${face}.ttf`), 'base64');
      const look = `font-weight: ${face.startsWith('Bold') ? 'bold' : 'normal'}; font-style: ${face.endsWith('Italic') ? 'italic' : 'normal'}`;
      return `@font-face { font-family: ${family}; src: url(data:font/ttf;base64,${font}); ${look} }`;
    }),
  );
  const content = `<!doctype html><style>${(await Promise.all(faces)).join('\n')}${style}</style>${html}`;
  const program = await chromium.executablePath();
  await chmod(program, 0o755);
  const task = {
    path: program,
    sandbox: false,
    // Nothing is loaded.
    proxyUrl: 'http://127.0.0.1:9',
    budget: { cpuMs: TIMEOUT_MS, wallMs: TIMEOUT_MS },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  };
  const pdf = await runChromium(task, async (devtools) => {
    const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true });
    const page = (method: string, params?: object) => devtools.send(method, params, String(sessionId));
    const { frameTree } = await page('Page.getFrameTree');
    const { id: frameId } = (frameTree as { frame: { id: string } }).frame;
    await page('Page.setDocumentContent', { frameId, html: content });
    const expression = 'document.fonts.ready.then(() => 1)';
    await page('Runtime.evaluate', { expression, awaitPromise: true });
    const { data } = await page('Page.printToPDF', { preferCSSPageSize: true, printBackground: true });
    return Buffer.from(String(data), 'base64');
  });
  await writeFile(path, pdf);
}
