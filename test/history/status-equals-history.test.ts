import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine } from '../../temporal/client.ts';
import { parseFileWorkflowId } from '../../temporal/contract/ids.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { fetchFoldedRun } from '../../temporal/status/fetch-history.ts';
import { createClient, sharedRun } from '../support/api.ts';

/**
 * Runs after all other tests, on the stack that they used: for every workflow that they ran, the fold of its event
 * history is what the API says.
 */
const shared = sharedRun();
const engine = createEngine({ TEMPORAL_ADDRESS: shared.temporal_address, TEMPORAL_NAMESPACE: 'default' });
const clients = Object.values(shared.tenants).map(({ api_key }) => createClient(shared, api_key));

async function timelineOf(fileId: string) {
  for (const client of clients) {
    const { status, body } = await client.get(`/files/${fileId}/timeline`);
    if (status === 200) return body;
  }
  return undefined;
}

test('status equals history for every workflow that the tests ran', async () => {
  const ids: string[] = [];
  for await (const { workflowId } of engine.client.workflow.list({ query: `WorkflowType = 'processFile'` })) {
    const fileId = parseFileWorkflowId(workflowId);
    if (fileId && !ids.includes(fileId)) ids.push(fileId);
  }
  assert.ok(ids.length > 20, `only ${ids.length} workflows were run`);
  let compared = 0;
  for (const fileId of ids) {
    const said = await timelineOf(fileId);
    if (!said) continue;
    const run = await describeRun(engine, fileId, 5000);
    assert.ok(run, fileId);
    const { components, timeline, superseded } = await fetchFoldedRun(engine, fileId, run.runId, 5000);
    if (superseded) continue;
    const statuses = Object.fromEntries(
      Object.entries(components).map(([name, { status, error }]) => [name, { status, error: error ?? null }]),
    );
    assert.deepEqual(said.components, statuses, fileId);
    const attempts = timeline.steps.map(({ step, attempt, outcome }) => ({ step, attempt, outcome }));
    const last = said.runs.at(-1);
    assert.deepEqual(
      last.steps.map(({ step, attempt, outcome }: Record<string, unknown>) => ({ step, attempt, outcome })),
      attempts,
      fileId,
    );
    compared += 1;
  }
  assert.ok(compared > 20, `only ${compared} files were compared`);
  await engine.close();
});
