import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentType } from 'darkroom-reader/document';
import { scan, type ScanDesign } from '../generate/scan.ts';
import type { Group, TruthBlock } from '../truth.ts';
import type { Manual } from './manuals.ts';
import type { Part } from './read-html-book.ts';
import { typeset, type Typesetter } from './typeset.ts';

/** The document that its authors made, and others that were made of its HTML, so that their truth is exact. */
const FORMS = ['PDF', 'DOCX', 'print', 'print in two columns', 'typst in two columns'] as const;

export interface RealDocument {
  /** Of the manual and the form. */
  name: string;
  form: string;
  group: Group;
  type: DocumentType;
  path: string;
  truth: TruthBlock[];
}

/** Characters of HTML from the beginning of a manual that are printed: about thirty pages. */
const PRINTED = 120_000;

/**
 * All forms of a manual whose name contains `only`.
 *
 * @throws Error if a program that makes one is not available
 */
export async function* formsOf({ name: of, pdf, parts }: Manual, only: string): AsyncGenerator<RealDocument> {
  for (const form of FORMS) {
    const name = `${of}, ${form}`;
    if (!name.includes(only)) continue;
    if (form === 'PDF') {
      if (pdf !== undefined)
        yield { name, form, group: 'text layer', type: 'pdf', path: pdf, truth: blocksOf(parts) };
      continue;
    }
    const taken = form === 'DOCX' ? parts : beginning(parts, PRINTED);
    const path = await typesetParts(name, form, taken);
    if (path === undefined) continue;
    const [group, type] = form === 'DOCX' ? (['word', 'docx'] as const) : (['text layer', 'pdf'] as const);
    yield { name, form, group, type, path, truth: blocksOf(taken) };
  }
}

/** An office's scanner: crooked paper, noise, and much compression. */
const ROUGH = { dpi: 200, noise: 12, blur: 0.5, quality: 50 };
const SCANNED: readonly { by: Typesetter; design: ScanDesign }[] = [
  { by: 'print', design: { ...ROUGH, skew: 1.2 } },
  { by: 'print in two columns', design: { ...ROUGH, skew: -1.5 } },
  { by: 'typst in two columns', design: { ...ROUGH, skew: 0.6 } },
];
/** About a page. */
const EXCERPT = 3_500;
const MOST_PAGES = 3;

/**
 * Excerpts of a manual as scans, a page or two each, written to a folder.
 *
 * @throws Error if a program that makes one is not available
 */
export async function* scansOf(
  { name: of, parts }: Manual,
  { only, folder }: { only: string; folder: string },
): AsyncGenerator<RealDocument> {
  for (const [index, { by, design }] of SCANNED.entries()) {
    const name = `${of}, scan of ${by}`;
    if (!name.includes(only)) continue;
    const from = Math.floor(((index + 1) / (SCANNED.length + 1)) * parts.length);
    const taken = beginning(parts.slice(from), EXCERPT);
    const set = await typesetParts(name, by, taken);
    if (set === undefined) continue;
    const path = join(folder, `${name}.pdf`);
    await writeFile(path, await scan(new Uint8Array(await readFile(set)), design, index, MOST_PAGES));
    yield { name, form: 'scan', group: 'rough scan', type: 'pdf', path, truth: blocksOf(taken) };
  }
}

/** Undefined, and a line about it, if a typesetter does not take the HTML of a book. */
async function typesetParts(
  name: string,
  by: Typesetter,
  parts: readonly Part[],
): Promise<string | undefined> {
  return typeset(by, parts.map(({ html }) => html).join('\n')).catch((error: unknown) => {
    console.error(`\n${name} could not be typeset: ${String(error).trim().split('\n').at(-1)}`);
    return undefined;
  });
}

const blocksOf = (parts: readonly Part[]): TruthBlock[] => parts.flatMap(({ blocks }) => blocks);

function beginning(parts: readonly Part[], most: number): Part[] {
  let length = 0;
  const end = parts.findIndex(({ html }) => (length += html.length) > most);
  return end < 0 ? [...parts] : parts.slice(0, Math.max(1, end));
}
