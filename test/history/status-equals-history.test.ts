import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import proto from '@temporalio/proto';
import type { TimelineStep } from '../../domain/timeline.ts';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { createEngine } from '../../temporal/client.ts';
import { fileWorkflowId, parseFileWorkflowId } from '../../temporal/contract/ids.ts';
import { SEARCH_ATTRIBUTES } from '../../temporal/contract/search-attributes.ts';
import { foldHistory, type FoldedRun } from '../../temporal/status/fold-history.ts';
import { createClient, eventually, sharedRun, type Client, type Json } from '../support/api.ts';
import { contradictions, passedStates, type PassedState } from '../support/passed-states.ts';
import { readSnapshots, snapshotOf } from '../support/snapshots.ts';

/**
 * Runs after all other tests, on their stack: for every file that they processed, the event history agrees with the
 * current responses of the API, and with its responses during processing.
 */
const shared = sharedRun();
const engine = createEngine({ TEMPORAL_ADDRESS: shared.temporal_address, TEMPORAL_NAMESPACE: 'default' });
const clients = Object.values(shared.tenants).map(({ api_key }) => createClient(shared, api_key));
after(() => engine.close());

const { PENDING_ACTIVITY_STATE_STARTED: STARTED } = proto.temporal.api.enums.v1.PendingActivityState;
const RUNNING = `WorkflowType in ('processFile', 'digitizeDocument') and ExecutionStatus = 'Running'`;

/** By tenant, as far as they have been found. */
const clientOf = new Map<string, Client>();

/** The client that may see a file; undefined for a file that is gone, or of a tenant that a test made for itself. */
async function findClient(tenantId: string, fileId: string): Promise<Client | undefined> {
  const known = clientOf.get(tenantId);
  if (known) return known;
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

/** Does this for each of many, some at a time. */
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
  states: PassedState[];
  /** The newest run. */
  last: FoldedRun;
  /** A cancellation, such as by a deletion, may also change the row, at a time that the history does not contain. */
  cancelled: boolean;
}

/** By file, without those of which a run was superseded or found the file closed. */
const processed = new Map<string, Processed>();

before(async () => {
  // Which attempt has begun is written into a history when it ends.
  await eventually(async () => {
    for await (const { workflowId, runId } of engine.client.workflow.list({ query: RUNNING })) {
      const { raw } = await engine.client.workflow.getHandle(workflowId, runId).describe();
      assert.ok(!raw.pendingActivities?.some(({ state }) => state === STARTED), workflowId);
    }
  }, 60);
  const runs = new Map<string, WorkflowExecutionInfo[]>();
  for await (const run of engine.client.workflow.list({ query: `WorkflowType = 'processFile'` })) {
    const fileId = parseFileWorkflowId(run.workflowId);
    if (fileId) runs.set(fileId, [...(runs.get(fileId) ?? []), run]);
  }
  await forEach(runs, async ([fileId, found]) => {
    const tenantId = found[0]?.typedSearchAttributes.get(SEARCH_ATTRIBUTES.tenantId) ?? '';
    const client = await findClient(tenantId, fileId);
    if (!client) return;
    const inOrder = found.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime());
    const histories = await Promise.all(
      inOrder.map(({ runId }) =>
        engine.client.workflow.getHandle(fileWorkflowId(fileId), runId).fetchHistory(),
      ),
    );
    const folded = histories.map((history, index) => foldHistory(history, inOrder[index]?.runId ?? ''));
    const last = folded.at(-1);
    if (!last || folded.some(({ superseded }) => superseded)) return;
    const cancelled = folded.some(({ timeline }) => timeline.outcome === 'cancelled');
    processed.set(fileId, { client, states: passedStates(histories), last, cancelled });
  });
});

test('the API agrees with the history of the newest run of every file', async () => {
  let compared = 0;
  await forEach(processed, async ([fileId, { client, states, last }]) => {
    const said = await answerOf(client, `/files/${fileId}/timeline`);
    const file = await answerOf(client, `/files/${fileId}`);
    if (!said || !file) return;
    const statuses = Object.fromEntries(
      Object.entries(last.components).map(([name, { status, error }]) => [
        name,
        { status, error: error ?? null },
      ]),
    );
    assert.deepEqual(said.components, statuses, fileId);
    const outcomes = (steps: readonly Pick<TimelineStep, 'step' | 'attempt' | 'outcome'>[]) =>
      steps.map(({ step, attempt, outcome }) => ({ step, attempt, outcome }));
    assert.deepEqual(outcomes(said.runs.at(-1).steps), outcomes(last.timeline.steps), fileId);
    assert.deepEqual(contradictions(states, snapshotOf(file, Date.now(), Date.now())), [], fileId);
    compared += 1;
  });
  assert.ok(compared > 20, `only ${compared} files were compared`);
});

test('every status that the API returned during processing was in the history at that moment', () => {
  const found: string[] = [];
  const seen = new Set<string>();
  for (const snapshot of readSnapshots()) {
    const { fileId, askedAt } = snapshot;
    const file = processed.get(fileId);
    if (!file || file.cancelled) continue;
    for (const [component, status] of Object.entries(snapshot.statuses)) seen.add(`${component} ${status}`);
    for (const contradiction of contradictions(file.states, snapshot)) {
      found.push(`${fileId} at ${new Date(askedAt).toISOString()}: ${contradiction}`);
    }
  }
  assert.deepEqual(found, []);
  for (const status of ['queued', 'processing', 'completed']) {
    assert.ok(seen.has(`variant ${status}`), `no file was seen ${status}: ${[...seen].join(', ')}`);
  }
});
