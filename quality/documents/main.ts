import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cliProgress from 'cli-progress';
import { readFlags } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { listenForStop } from '../../dev/launcher/stop-signals.ts';
import { createComposer, DESIGN } from './generate/composer.ts';
import { makeDocuments } from './generate/make-documents.ts';
import { createRandom } from './generate/random.ts';
import { paragraph, title } from './generate/words.ts';
import { realDocuments } from './real-documents.ts';
import { measureRecall } from './retrieval/measure-recall.ts';
import { reportDocuments, reportRecall, reportScores } from './report.ts';
import { scoreDocument, type Score } from './score.ts';
import { measureMemory, measureSpeed } from './speed.ts';
import { createDarkroom } from './systems/darkroom.ts';
import { startPeers } from './systems/peers.ts';
import { findPdftotext } from './systems/pdftotext.ts';
import type { System } from './systems/system.ts';
import { createTextDump } from './systems/text-dump.ts';

const HELP = `Usage: npm run quality:documents -- [options]

Makes documents of known structure, reads them with Darkroom and with comparable software, and scores the results. Needs
Python 3 and, the first time, PyPI: the peers are installed below .cache/.

  --final        score the held-out documents instead of those to work with
  --only TEXT    only documents whose name contains this
  --alone        without the peers
  --retrieval    only recall of the search
  --speed        only speed and memory
  --help

Exit code: 0 done, 2 the run could not be completed.`;
const FLAGS = {
  final: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  alone: { type: 'boolean', default: false },
  retrieval: { type: 'boolean', default: false },
  speed: { type: 'boolean', default: false },
} as const;
const MANY_PAGES = 1_000;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS);
  if (!given) return undefined;
  const { final, only, alone, retrieval, speed } = given.values;
  const { stop } = listenForStop(process.env['npm_lifecycle_event'] !== undefined);
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-quality-'));
  try {
    const split = final ? 'held-out' : 'development';
    if (!speed) await scoreAll(split, { only, alone, retrieval, folder, stop });
    if (speed || (only === '' && !retrieval)) await measureAll(folder, stop);
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

interface ScoreOptions {
  only: string;
  alone: boolean;
  retrieval: boolean;
  folder: string;
  stop: AbortSignal;
}

type Split = 'development' | 'held-out';

async function scoreAll(split: Split, { only, alone, retrieval, folder, stop }: ScoreOptions) {
  const systems: System[] = [createDarkroom(stop)];
  try {
    if (!alone) {
      const pdftotext = await findPdftotext();
      if (!pdftotext) console.log('pdftotext is not on the PATH: not compared.');
      systems.push(createTextDump(), ...(await startPeers(stop)), ...(pdftotext ? [pdftotext] : []));
    }
    if (!retrieval) await scoreStructure(split, systems, { only, folder, stop });
    if (only === '') {
      const progress = (what: string): void =>
        void process.stderr.write(process.stderr.isTTY ? `\r\x1b[K  ${what}` : '');
      console.log(`\n${reportRecall(await measureRecall({ split, systems, folder, stop, progress }))}`);
    }
  } finally {
    await Promise.all(systems.map((system) => system.close()));
  }
}

async function scoreStructure(
  split: Split,
  systems: readonly System[],
  { only, folder, stop }: Pick<ScoreOptions, 'only' | 'folder' | 'stop'>,
) {
  const documents = (await makeDocuments(split)).filter(({ name }) => name.includes(only));
  const bar = new cliProgress.SingleBar({
    format: '  {bar} {value}/{total} {what}',
    clearOnComplete: true,
  });
  bar.start(documents.length * systems.length, 0, { what: '' });
  const results = new Map<string, Score[]>(systems.map(({ name }) => [name, []]));
  for (const [index, document] of documents.entries()) {
    const path = join(folder, `${index}.${document.type}`);
    await writeFile(path, document.bytes);
    for (const system of systems) {
      stop.throwIfAborted();
      bar.update({ what: `${document.name}: ${system.name}` });
      const extraction = await system.extract(document, path).catch((error: unknown) => {
        console.error(`\n${system.name} failed on ${document.name}: ${String(error)}`);
        return undefined;
      });
      if (extraction || system.name === 'Darkroom')
        results.get(system.name)?.push(scoreDocument(document, extraction));
      bar.increment();
    }
  }
  bar.stop();
  console.log(`\n${split === 'held-out' ? 'Held-out documents' : 'Documents to work with'}\n`);
  console.log(reportDocuments(results.get('Darkroom') ?? []), '\n');
  console.log(reportScores(results));
  if (only === '') console.log(await realDocuments(folder, systems, stop));
}

async function measureAll(folder: string, stop: AbortSignal): Promise<void> {
  const path = join(folder, 'many-pages.pdf');
  await writeFile(path, await manyPages(MANY_PAGES));
  const grown = await measureMemory(path, MANY_PAGES, stop);
  console.log(`Memory at ${MANY_PAGES} pages: ${grown.toFixed(0)} MiB more than at 10 (goal: at most 300).`);
  const short = join(folder, 'pages.pdf');
  await writeFile(short, await manyPages(100));
  const { pages, bare, read, whole } = await measureSpeed(short, 100, stop);
  const ratio = (rate: number): string => `${rate.toFixed(0)} pages/s, ${(rate / bare).toFixed(2)} ×`;
  console.log(
    `Speed over ${pages} pages, bare engine ${bare.toFixed(0)} pages/s: reading ${ratio(read)} (goal: 0.8); ` +
      `inspecting and reading ${ratio(whole)}.`,
  );
}

/** Prose with headings; every tenth page has a table. */
async function manyPages(count: number): Promise<Uint8Array> {
  const random = createRandom(count);
  const composer = await createComposer({ ...DESIGN, running: true });
  for (let section = 0; composer.pageCount() < count; section++) {
    composer.heading(2, title(random));
    for (let part = 0; part < 7; part++) composer.paragraph(paragraph(random, 4));
    if (section % 10 === 9)
      composer.table(
        [
          ['A', 'B'],
          ['one', '1'],
          ['two', '2'],
        ],
        { ruled: 'all', widths: [1, 1], numbers: false },
      );
  }
  return (await composer.finish()).bytes;
}
