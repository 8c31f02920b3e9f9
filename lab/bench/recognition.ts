import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { createScheduler, createWorker, OEM, PSM } from 'tesseract.js';
import { createDocumentReader } from '../../engines/document-reader/create-document-reader.ts';
import { createProcessPool } from '../../engines/hosts/process-pool.ts';
import { findLanguageData } from '../../engines/text-recogniser/language-data.ts';
import { createTesseractRecogniser } from '../../engines/text-recogniser/tesseract-recogniser.ts';
import type { ReadableImage } from '../../engines/text-recogniser/text-recogniser.ts';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { scan } from '../quality/generate/scan.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { type BenchContext, packageVersion } from './context.ts';
import { digitize, withWorkers } from './digitize.ts';
import { handbookPdf } from './handbook-pdf.ts';
import { goalResult, interleave, milliseconds, ratios, spread } from './statistics.ts';
import { STEP_WORKFLOW_IDS } from '../../temporal/contract/digitize-document.ts';

/** The quality of an office scanner. */
const SCAN = { dpi: 200, skew: 0, noise: 4, blur: 0 };
const PAGES = 4;
const PAGES_WITH_TEXT = 20;
const SCANNED_PAGES = 2;
const LANGUAGES = ['eng'];

/**
 * O1: recognition of the same scanned pages with one and with two recognisers of the service's pool, and with
 * tesseract.js alone. Also counts the recogniser calls for a document with a text layer.
 */
export async function run({ rounds, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const pages = await scannedPages(PAGES);
  return [...(await measureSpeed(pages, rounds, progress)), await countCalls(await startStack(), progress)];
}

async function measureSpeed(pages: ReadableImage[], rounds: number, progress: BenchContext['progress']) {
  const { signal } = new AbortController();
  const start = (slots: number) => createTesseractRecogniser({ languages: LANGUAGES, slots });
  const [one, two, bareOne, bareTwo] = [start(1), start(2), await bareEngine(1), await bareEngine(2)];
  try {
    const ours = (pool: typeof one) => () =>
      milliseconds(() =>
        Promise.all(pages.map((page) => pool.readWords(page, { tenantId: 'bench', signal }))),
      );
    const theirs = (engine: typeof bareOne) => () =>
      milliseconds(() => Promise.all(pages.map((page) => engine.read(page))));
    const times = await interleave(
      rounds,
      { one: ours(one), two: ours(two), bareOne: theirs(bareOne), bareTwo: theirs(bareTwo) },
      (turn) => progress(turn),
    );
    const rate = (figures: number[]) => figures.map((each) => pages.length / (each / 1000));
    const faster = ratios(times.one, times.two);
    return [
      `O1 pages/s of two recognisers / of one: ${spread(faster, 2)}, ${goalResult(faster, { least: 1.6 })}; ${spread(rate(times.two), 2)} and ${spread(rate(times.one), 2)} pages/s of ${SCAN.dpi} dpi`,
      `O1 … ${packageVersion('tesseract.js')} alone, two workers / one: ${spread(ratios(times.bareOne, times.bareTwo), 2)}; ours / theirs: one ${spread(ratios(times.bareOne, times.one), 2)}, two ${spread(ratios(times.bareTwo, times.two), 2)}`,
    ];
  } finally {
    await Promise.all([one, two, bareOne, bareTwo].map((each) => each.close()));
  }
}

/** tesseract.js as its documentation shows it, with the same language data and modes. */
async function bareEngine(count: number) {
  const scheduler = createScheduler();
  const langPath = findLanguageData(LANGUAGES)();
  for (let started = 0; started < count; started++) {
    const worker = await createWorker(LANGUAGES, OEM.LSTM_ONLY, {
      langPath,
      gzip: true,
      cacheMethod: 'none',
    });
    await worker.setParameters({ tessedit_pageseg_mode: PSM.AUTO, user_defined_dpi: String(SCAN.dpi) });
    scheduler.addWorker(worker);
  }
  return {
    read: ({ data, width, height }: ReadableImage) =>
      scheduler.addJob(
        'recognize',
        Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, 'latin1'), data]),
        {},
        { text: false, blocks: true },
      ),
    close: () => scheduler.terminate(),
  };
}

async function scannedPages(count: number): Promise<ReadableImage[]> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-bench-'));
  const reader = createDocumentReader({ createPool: createProcessPool, slots: 1 });
  try {
    const path = join(folder, 'scan.pdf');
    await writeFile(path, await scan(await handbookPdf(count), SCAN, 1, count));
    const { signal } = new AbortController();
    const rasters: ReadableImage[] = [];
    for (let page = 1; page <= count; page++) {
      const {
        grey: data,
        width,
        height,
      } = await reader.renderPage({ path, type: 'pdf', tenantId: 'bench' }, page, signal);
      rasters.push({ data, width, height });
    }
    return rasters;
  } finally {
    await reader.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function countCalls(stack: Stack, progress: BenchContext['progress']): Promise<string> {
  const orm = createOrm(databaseConfig.parse(stack.env));
  const engine = createEngine(temporalConfig.parse(stack.env));
  try {
    return await withWorkers(stack, async () => {
      progress('a document with a text layer, on the stack');
      const calls = async (bytes: Uint8Array) =>
        countActivities(
          engine.client,
          STEP_WORKFLOW_IDS.digitizeDocument(await digitize(stack, { orm, engine }, bytes)),
          'recognisePage',
        );
      const withText = await calls(await handbookPdf(PAGES_WITH_TEXT));
      progress('a scanned document, on the stack');
      const scanned = await calls(await scan(await handbookPdf(SCANNED_PAGES), SCAN, 1, SCANNED_PAGES));
      return (
        `O1 recogniser calls for ${PAGES_WITH_TEXT} pages with a text layer, in the history: ${withText}, ` +
        `${goalResult([withText], { most: 0 })}; for ${SCANNED_PAGES} scanned pages: ${scanned}`
      );
    });
  } finally {
    await engine.close();
    await orm.close(true);
  }
}

/** The number of activities of a type that all runs of a workflow have scheduled. */
async function countActivities({ workflow }: Client, workflowId: string, type: string): Promise<number> {
  const { raw } = await workflow.getHandle(workflowId).describe();
  let runId = raw.workflowExecutionInfo?.firstRunId;
  let count = 0;
  while (runId) {
    const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
    for (const { activityTaskScheduledEventAttributes: scheduled } of events ?? []) {
      if (scheduled?.activityType?.name === type) count += 1;
    }
    runId = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return count;
}
