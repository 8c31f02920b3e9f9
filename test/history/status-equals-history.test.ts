import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TimelineStep } from '../../domain/timeline.ts';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { createEngine } from '../../temporal/client.ts';
import { SEARCH_ATTRIBUTES } from '../../temporal/contract/search-attributes.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { foldHistory, type FoldedRun } from '../../temporal/status/fold-history.ts';
import { createClient, eventually, sharedRun, type Client, type Json } from '../support/api.ts';
import { inconsistencies, stateHistory, type PassedState } from '../support/state-history.ts';
import { readSnapshots, snapshotOf } from '../support/snapshots.ts';
import { FILE_WORKFLOWS } from '../../temporal/contract/process-file.ts';

/**
 * Runs after all other tests, on their stack: for every file that they processed, the event history must
 * agree with the API's current responses, and with the responses that the API gave during processing.
 */
const shared = sharedRun();
const engine = createEngine({
  TEMPORAL_ADDRESS: shared.temporal_address,
  TEMPORAL_NAMESPACE: shared.temporal_namespace,
});
const clients = Object.values(shared.tenants).map(({ api_key }) => createClient(shared, api_key));
after(() => engine.close());

/** Clients by tenant, found so far. */
const clientOf = new Map<string, Client>();

/**
 * The client that may read a file; undefined if the file is gone, or belongs to a tenant created by a single
 * test.
 */
async function findClient(tenantId: string, fileId: string): Promise<Client | undefined> {
  const cached = clientOf.get(tenantId);
  if (cached) return cached;
  for (const client of clients) {
    if ((await client.get(`/files/${fileId}`)).status !== 200) continue;
    clientOf.set(tenantId, client);
    return client;
  }
  return undefined;
}

async function answerOf(client: Client, path: string): Promise<Json> {
  const { status, body } = await client.get(path);
  return status === 200 ? body : undefined;
}

const AT_ONCE = 16;

/** Visits all items with bounded concurrency. */
async function forEach<T>(items: Iterable<T>, visit: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let item = rest.pop(); item !== undefined; item = rest.pop()) await visit(item);
    }),
  );
}

interface Processed {
  client: Client;
  /** Oldest first. */
  runIds: string[];
  states: PassedState[];
  /** The newest run. */
  last: FoldedRun;
  /**
   * Such as by a deletion, which a step may notice before the cancellation arrives. It also changes the row, at a time that the
   * history does not contain.
   */
  cancelled: boolean;
}

/** By file id, without files with a run that was superseded or found the file closed. */
const processed = new Map<string, Processed>();

/** Reads the histories of a file into `processed`. */
async function readFile(fileId: string, { client, runIds }: Pick<Processed, 'client' | 'runIds'>) {
  const histories = await Promise.all(
    runIds.map((runId) => engine.client.workflow.getHandle(FILE_WORKFLOWS.of(fileId), runId).fetchHistory()),
  );
  const folded = histories.map((history, index) => foldHistory(history, runIds[index] ?? ''));
  const last = folded.at(-1);
  if (!last || folded.some(({ superseded }) => superseded)) return processed.delete(fileId);
  const cancelled = folded.some(
    ({ timeline: { outcome, steps } }) =>
      outcome === 'cancelled' || steps.some(({ error }) => error?.code === 'FILE_GONE'),
  );
  return processed.set(fileId, { client, runIds, states: stateHistory(histories), last, cancelled });
}

before(async () => {
  const runs = new Map<string, WorkflowExecutionInfo[]>();
  for await (const run of engine.client.workflow.list({ query: `WorkflowType = 'processFile'` })) {
    const fileId = FILE_WORKFLOWS.parse(run.workflowId);
    if (fileId) runs.set(fileId, [...(runs.get(fileId) ?? []), run]);
  }
  await forEach(runs, async ([fileId, found]) => {
    const tenantId = found[0]?.typedSearchAttributes.get(SEARCH_ATTRIBUTES.tenantId) ?? '';
    const client = await findClient(tenantId, fileId);
    if (!client) return;
    const inOrder = found.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime());
    await readFile(fileId, { client, runIds: inOrder.map(({ runId }) => runId) });
  });
});

/** Longest wait for an attempt that is still running after all other tests. */
const PATIENCE_SECONDS = 60;
const MOST_LEFT_OUT = 3;

test('the API agrees with the history of the newest run of every file', async (t) => {
  let compared = 0;
  const leftOut: string[] = [];
  await forEach([...processed], async ([fileId, { last }]) => {
    const isOpen = last.timeline.outcome === 'running';
    try {
      // The state of an open run may change between the two requests.
      const found = isOpen
        ? await eventually(() => compare(fileId, { anew: true }), PATIENCE_SECONDS)
        : await compare(fileId);
      if (found) compared += 1;
    } catch (error) {
      if (!isOpen || !(await isUnderWay(fileId))) throw error;
      processed.delete(fileId);
      leftOut.push(`file ${fileId}, with an attempt still running: ${String(error)}`);
    }
  });
  for (const file of leftOut) t.diagnostic(`not compared: ${file}`);
  assert.ok(leftOut.length <= MOST_LEFT_OUT, leftOut.join('\n'));
  assert.ok(compared > 20, `only ${compared} files were compared`);
});

/** @returns false if the file is gone */
async function compare(fileId: string, { anew = false } = {}): Promise<boolean> {
  const processedFile = processed.get(fileId);
  if (processedFile && anew) await readFile(fileId, processedFile);
  const file = processed.get(fileId);
  if (!file) return false;
  const { client, states, last } = file;
  const timeline = await answerOf(client, `/files/${fileId}/timeline`);
  const answer = await answerOf(client, `/files/${fileId}`);
  if (!timeline || !answer) return false;
  const statuses = Object.fromEntries(
    Object.entries(last.components).map(([name, { status, error }]) => [
      name,
      { status, error: error ?? null },
    ]),
  );
  assert.deepEqual(timeline.components, statuses, fileId);
  const outcomes = (steps: readonly Pick<TimelineStep, 'step' | 'attempt' | 'outcome'>[]) =>
    steps.map(({ step, attempt, outcome }) => ({ step, attempt, outcome }));
  assert.deepEqual(outcomes(timeline.runs.at(-1).steps), outcomes(last.timeline.steps), fileId);
  assert.deepEqual(inconsistencies(states, snapshotOf(answer, Date.now(), Date.now())), [], fileId);
  return true;
}

/** Whether an unfinished attempt has started: the history records an attempt only once it ends. */
async function isUnderWay(fileId: string): Promise<boolean> {
  const run = await describeRun(engine, fileId, 5000);
  return run?.activities.some(({ state, attempt }) => state === 'running' || attempt > 1) ?? false;
}

test('every status that the API returned during processing was in the history at that moment', () => {
  const found: string[] = [];
  const seen = new Set<string>();
  for (const snapshot of readSnapshots()) {
    const { fileId, askedAt } = snapshot;
    const file = processed.get(fileId);
    if (!file || file.cancelled) continue;
    for (const [component, status] of Object.entries(snapshot.statuses)) seen.add(`${component} ${status}`);
    for (const contradiction of inconsistencies(file.states, snapshot)) {
      found.push(`${fileId} at ${new Date(askedAt).toISOString()}: ${contradiction}`);
    }
  }
  assert.deepEqual(found, []);
  for (const status of ['queued', 'processing', 'completed']) {
    const some = [...seen].some((each) => each.endsWith(` ${status}`));
    assert.ok(some, `no step was seen ${status}: ${[...seen].join(', ')}`);
  }
});
