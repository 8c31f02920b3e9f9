import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { PRIORITIES } from '../../../temporal/contract/queues.ts';
import { eventually, sharedRun } from '../../support/api.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { images, uniqueImage } from '../../support/images.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';

/** The choice of a lane; the effect of lanes is covered by the workflow tests. */
const orm = createOrm(readConfig([databaseConfig], process.env));
const { client } = await createOwnTenant(orm, sharedRun());
const { client: other } = await createOwnTenant(orm, sharedRun());
const engine = createEngine(readConfig([temporalConfig], process.env));
after(async () => {
  await engine.close();
  await orm.close(true);
});

async function laneOf(fileId: string) {
  const { raw } = await engine.client.workflow.getHandle(FILE_WORKFLOWS.of(fileId)).describe();
  const { priorityKey, fairnessKey } = raw.workflowExecutionInfo?.priority ?? {};
  return { priorityKey, fairnessKey };
}

test('single uploads have priority over batches, and each tenant has its own fairness key', async () => {
  const single = await laneOf(await client.ingest({ bytes: await uniqueImage() }));
  const others = await laneOf(await other.ingest({ bytes: await uniqueImage() }));
  const { body } = await client.batch(await images(1));
  const batched = await eventually(async () => {
    const [first] = (await client.get(`/files/sessions/${body.session_id}/results`)).body.results;
    return laneOf(first.file_id);
  });

  assert.equal(single.priorityKey, PRIORITIES.normal);
  assert.equal(others.priorityKey, PRIORITIES.normal);
  assert.equal(batched.priorityKey, PRIORITIES.bulk);
  assert.ok(single.fairnessKey);
  assert.equal(batched.fairnessKey, single.fairnessKey);
  assert.notEqual(others.fairnessKey, single.fairnessKey);
});
