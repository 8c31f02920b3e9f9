import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../dev/launcher/stack.ts';
import type { Bar } from '../shared/bar.ts';
import { createHttp, expectStatus, type Http, type Json } from '../shared/http.ts';
import { createSourceBucket, textFiles } from '../shared/source-bucket.ts';
import type { Connections } from './connections.ts';
import { startFaults } from './inject-faults.ts';
import type { Fault } from './plan-faults.ts';
import { countFiles, listFiles, tally } from './read-state.ts';
import { runAudit } from './run-audit.ts';
import type { Acknowledged } from './verdict.ts';

const POLL_MS = 2_000;
/** Longer than an import waits for a source that was down. */
const STALLED_MS = 300_000;

export interface ImportResult {
  /** One line per problem. */
  breaches: string[];
  injected: ReadonlyMap<string, number>;
  seconds: number;
}

/**
 * Imports small text files from a bucket in the store of a stack while faults hit it, then compares files, items and
 * objects with the bucket. With `again`, faults hit the reprocessing of the imported files instead.
 */
export async function runImport(options: {
  stack: Stack;
  /** Environment of the audit process. */
  env: NodeJS.ProcessEnv;
  files: number;
  again: boolean;
  faults: readonly Fault[];
  connections: Connections;
  bar: Bar;
  signal: AbortSignal;
}): Promise<ImportResult> {
  const { stack, files, again, faults: planned, connections, bar } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const { api_url: apiUrl, api_key: apiKey } = stack.runInfo;
  const breaches: string[] = [];
  const found = (breach: string) => {
    breaches.push(breach);
    bar.print(`✗ ${breach}`);
  };
  const http = createHttp({ apiUrl, apiKey, signal, onFailure: found });
  const contents = textFiles(files, 'a meeting amid faults');
  const source = await createSourceBucket(stack, 'chaos-source', contents);
  const began = performance.now();
  const begun = await http.sendWithRetries('POST', '/imports', {
    body: JSON.stringify({ source, auto_describe: false, concurrency: 16 }),
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'chaos' },
  });
  const { id } = expectStatus(begun, 202, 'the import');
  let [accepted, ended] = [0, 0];
  const injectFaults = (plan: readonly Fault[]) =>
    startFaults({
      stack,
      faults: plan,
      connections,
      volume: undefined,
      clocks: undefined,
      progress: () => accepted / files,
      signal,
    });
  let faults = injectFaults(again ? [] : planned);
  let reprocessing: string | undefined;
  try {
    await Promise.all([faults.done, untilProcessed()]);
    if (again) {
      reprocessing = await reprocess(http);
      accepted = 0;
      faults = injectFaults(planned);
      await Promise.all([faults.done, untilProcessed()]);
    }
  } catch (error) {
    options.signal.throwIfAborted();
    found(error instanceof Error ? error.message : String(error));
    faults.stop();
    await faults.done.catch(() => undefined);
  }
  const seconds = (performance.now() - began) / 1000;
  await check();
  over.abort();
  return { breaches, injected: faults.injected, seconds };

  /** Waits until the import or the reprocessing has ended, and all files have. */
  async function untilProcessed(): Promise<void> {
    const path = reprocessing === undefined ? `/imports/${id}` : `/reprocessing/${reprocessing}`;
    for (let [last, since] = ['', Date.now()]; ;) {
      const record = expectStatus(await http.sendWithRetries('GET', path), 200, path);
      const { stored, open } = await countFiles(http);
      const done = reprocessing === undefined ? { ...record, completed: record.imported } : record.progress;
      [accepted, ended] = [done.completed + done.skipped + done.failed, Math.max(0, stored - open)];
      bar.show(accepted, ended, `${[...faults.injected.values()].reduce((a, b) => a + b, 0)} faults`);
      if (record.status === 'failed') throw new Error(`${path} failed: ${JSON.stringify(record)}`);
      if (record.status === 'completed' && open === 0) return;
      const state = `${accepted} ${ended} ${record.status}`;
      if (state !== last) [last, since] = [state, Date.now()];
      if (Date.now() - since > STALLED_MS) throw new Error(`no progress: ${JSON.stringify(record)}`);
      await delay(POLL_MS, undefined, { signal });
    }
  }

  async function check(): Promise<void> {
    const items = await listItems(http, `/imports/${id}/items?limit=500`);
    const stored = await listFiles(http);
    const imported = items.filter(({ status }) => status === 'imported');
    const keys = new Set(imported.map(({ key }) => key as string));
    const lost = [...contents.keys()].filter((key) => !keys.has(key));
    const doubled = stored.length - new Set(imported.map(({ file_id: fileId }) => fileId)).size;
    if (lost.length > 0) found(`${lost.length} objects were not imported, such as ${lost[0]}`);
    if (items.length !== files) found(`${items.length} items for ${files} objects`);
    if (doubled !== 0) found(`${doubled} files more than items`);
    const { completed = 0 } = tally(stored);
    if (completed !== files) found(`the files have ended as ${JSON.stringify(tally(stored))}`);
    if (reprocessing !== undefined) {
      const results = await listItems(http, `/reprocessing/${reprocessing}/files?limit=100`);
      const once = results.filter(({ status, generation }) => status === 'completed' && generation === 2);
      const different = new Set(once.map(({ file_id: fileId }) => fileId)).size;
      if (results.length !== files || different !== files)
        found(`${results.length} results, of which ${different} files were processed again once`);
    }
    const acknowledged: Acknowledged[] = imported.map(({ key, file_id: fileId }) => ({
      fileId,
      name: key,
      sha256: createHash('sha256')
        .update(contents.get(key) ?? '')
        .digest('hex'),
    }));
    const code = await runAudit(
      { ...options.env, ...stack.env },
      { acknowledged, folder: stack.home, onLine: (line) => bar.print(line), signal },
    );
    if (code !== 0) found('the audit found breaches');
  }
}

/** @returns the id of the reprocessing of all files */
async function reprocess(http: Http): Promise<string> {
  const filter = { media_types: ['document'] };
  const begun = await http.sendWithRetries('POST', '/reprocessing', {
    body: JSON.stringify({ filter, components: ['text', 'vectors'], reason: 'chaos' }),
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'chaos-again' },
  });
  return expectStatus(begun, 202, 'the reprocessing').reprocessing_id;
}

async function listItems(http: Http, path: string): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor = ''; ;) {
    const page = await http.sendWithRetries('GET', `${path}${cursor}`);
    const { items: more, next_cursor: next } = expectStatus(page, 200, path);
    items.push(...more);
    if (!next) return items;
    cursor = `&cursor=${next}`;
  }
}
