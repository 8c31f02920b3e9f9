import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import cliProgress from 'cli-progress';
import { UsageError } from '../../cli/shared/usage-error.ts';
import { readFlags } from '../../cli/shared/flags.ts';
import { runCommand } from '../../cli/shared/run-command.ts';
import { listenForStop } from '../../dev/launcher/stop-signals.ts';
import { makeDocuments } from './generate/make-documents.ts';
import { realDocuments } from './real-documents.ts';
import { scoreInvoices } from './real/score-invoices.ts';
import { scoreQueries } from './real/score-queries.ts';
import { reportPictures, scorePictures } from './real/score-pictures.ts';
import { scoreManuals } from './real/score-manuals.ts';
import { scoreReading } from './reading/score-reading.ts';
import { scoreSplit } from './split/score-split.ts';
import { measurePlainAnswers } from './ask/measure-plain-answers.ts';
import { reportAnswers, reportPlainAnswers } from './ask/report-answers.ts';
import { measureRetrieval } from './retrieval/measure-retrieval.ts';
import { reportRetrieval } from './retrieval/report-retrieval.ts';
import { reportDocuments, reportScores } from './report.ts';
import { scoreDocument, type Score } from './score.ts';
import { createDarkroom, type Darkroom } from './systems/darkroom.ts';
import { startPeers } from './systems/peers.ts';
import { createPlainTesseract } from './systems/plain-tesseract.ts';
import { findPdftotext } from './systems/pdftotext.ts';
import type { System } from './systems/system.ts';
import { createTextDump } from './systems/text-dump.ts';

const HELP = `Usage: npm run quality:documents -- [options]

Generates documents of known structure, reads them with Darkroom and with comparable software, and scores the results.
Needs Python 3 and, the first time, PyPI and apt: peers and typesetters are installed in .cache/.

  --final        score the held-out documents instead of the development ones
  --only TEXT    only documents or manuals whose name contains TEXT
  --alone        without the peers
  --structure    only how generated documents are read
  --real         only how real manuals, and documents made of their HTML, are read; that HTML is the reference
  --scans        only how scans of excerpts of them are read
  --invoices     only the values of real invoices, extracted without a model
  --retrieval    only how the search answers questions on real manuals, beside BM25 and vectors alone
  --pictures     only what is said of photographs of a Debian package; needs the models
  --queries      only how those are found by everyday words; needs the models
  --reading      only the text of made photographs, screenshots and pages; needs the models
  --ask          only how questions are answered and answers checked, of models that know the truth and that lie
  --split        only where documents in bundles of several begin, by rules
  --answers      only how questions on real documents are answered without a model that writes
  --help

Exit code: 0 done, 2 the run could not be completed.`;
const FLAGS = {
  final: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  alone: { type: 'boolean', default: false },
  structure: { type: 'boolean', default: false },
  real: { type: 'boolean', default: false },
  scans: { type: 'boolean', default: false },
  invoices: { type: 'boolean', default: false },
  retrieval: { type: 'boolean', default: false },
  pictures: { type: 'boolean', default: false },
  queries: { type: 'boolean', default: false },
  reading: { type: 'boolean', default: false },
  ask: { type: 'boolean', default: false },
  answers: { type: 'boolean', default: false },
  split: { type: 'boolean', default: false },
} as const;

await runCommand(HELP, async () => {
  const given = readFlags(process.argv.slice(2), FLAGS);
  if (!given) return undefined;
  const { final, only, alone, structure, real, scans, invoices, retrieval } = given.values;
  const { pictures, queries, reading, ask, answers, split } = given.values;
  const { stop } = listenForStop(process.env['npm_lifecycle_event'] !== undefined);
  if (ask) {
    await scoreAnswers(stop);
    return 0;
  }
  const half = final ? 'held-out' : 'development';
  const run = { env: process.env, stop, progress };
  if (answers) {
    console.log(`\n${reportPlainAnswers(await measurePlainAnswers(half, run), !final)}`);
    return 0;
  }
  if (pictures || queries || reading) {
    if (pictures) console.log(`\n${reportPictures(await scorePictures(half, run))}`);
    if (queries) console.log(`\n${await scoreQueries(half, run)}`);
    if (reading) console.log(`\n${await scoreReading(half, { only, alone, ...run })}`);
    return 0;
  }
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-quality-'));
  try {
    if (split) {
      await scoreBundles(half, { folder, only, stop });
      return 0;
    }
    await scoreAll(half, { only, alone, structure, real, scans, invoices, retrieval, folder, stop });
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

interface ScoreOptions {
  only: string;
  alone: boolean;
  structure: boolean;
  real: boolean;
  scans: boolean;
  invoices: boolean;
  retrieval: boolean;
  folder: string;
  stop: AbortSignal;
}

type Split = 'development' | 'held-out';

async function scoreAll(
  split: Split,
  { only, alone, structure, real, scans, invoices, retrieval, folder, stop }: ScoreOptions,
) {
  const darkroom = createDarkroom(stop, { env: process.env });
  const tesseract = createPlainTesseract(stop);
  const systems: System[] = [darkroom];
  try {
    // The search has peers of its own.
    const isReading = structure || real || scans || invoices || !retrieval;
    if (!alone && isReading) {
      const pdftotext = await findPdftotext(process.env);
      if (!pdftotext) console.log('pdftotext is not available: not compared.');
      systems.push(createTextDump(), ...(await startPeers(stop)), ...(pdftotext ? [pdftotext] : []));
    }
    const readManuals = async (ofScans: boolean, all: readonly System[]): Promise<void> =>
      console.log(await scoreManuals(split, all, { only, folder, scans: ofScans, stop }));
    const isPart = structure || real || scans || invoices || retrieval;
    if (real || !isPart) await readManuals(false, systems);
    if (scans || !isPart) await readManuals(true, alone ? [darkroom] : [darkroom, tesseract]);
    if (invoices || !isPart) console.log(await scoreInvoices(split, darkroom, stop));
    if (retrieval || (!isPart && only === '')) await scoreRetrieval(split, darkroom, { only, alone, stop });
    if (isPart && !structure) return;
    const readers = systems.filter(({ tablesOnly }) => tablesOnly !== true);
    await scoreStructure(split, readers, { only, folder, stop });
  } finally {
    await Promise.all([...systems, tesseract].map((system) => system.close()));
  }
}

async function scoreRetrieval(
  half: Split,
  darkroom: Darkroom,
  { only, alone, stop }: Pick<ScoreOptions, 'only' | 'alone' | 'stop'>,
) {
  const { env } = process;
  const results = await measureRetrieval({ half, only, alone, darkroom, env, stop, progress });
  // Held-out questions are not shown, so that nobody works on them.
  console.log(`\n${reportRetrieval(results, half === 'development')}`);
}

async function scoreAnswers(stop: AbortSignal): Promise<void> {
  const darkroom = createDarkroom(stop, { env: process.env });
  try {
    console.log(await reportAnswers({ darkroom, env: process.env, stop, progress }));
  } finally {
    await darkroom.close();
  }
}

async function scoreBundles(half: Split, given: { folder: string; only: string; stop: AbortSignal }) {
  const darkroom = createDarkroom(given.stop, { env: process.env });
  try {
    console.log(await scoreSplit(half, { darkroom, ...given }));
  } finally {
    await darkroom.close();
  }
}

async function scoreStructure(
  split: Split,
  systems: readonly System[],
  { only, folder, stop }: Pick<ScoreOptions, 'only' | 'folder' | 'stop'>,
) {
  const documents = await makeDocuments(split, only);
  if (documents.length === 0) throw new UsageError(`No document has a name that contains "${only}".`);
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
  console.log(`\n${split === 'held-out' ? 'Held-out documents' : 'Development documents'}\n`);
  console.log(reportDocuments(results.get('Darkroom') ?? []), '\n');
  console.log(reportScores(results));
  if (only === '') console.log(await realDocuments(systems, stop));
}

function progress(what: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K  ${what}` : `${what}\n`);
}
