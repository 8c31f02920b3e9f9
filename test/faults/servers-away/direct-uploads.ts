import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/api.ts';
import { createDirectUploads } from '../../support/direct-uploads.ts';
import { own } from './stack.ts';

/** Direct uploads while the workflow engine is down. */
const { stack } = own;
const uploads = createDirectUploads(own, await own.newTenant());
const { sent, complete, abort, intent, row, assertOneFile, assertNothingLeft } = uploads;

test('a completion during an outage of the engine is recorded in the row and verified when the engine is back', async () => {
  const polled = await sent();
  await stack.kill('temporal');
  const swept = await sent();
  for (const { id } of [polled, swept]) {
    const accepted = await complete(id);
    assert.deepEqual([accepted.status, accepted.body.status], [202, 'processing']);
  }
  const aborted = await sent();
  assert.equal((await abort(aborted.id)).body.aborted, true);
  await stack.start('temporal');
  await eventually(async () => assert.equal((await intent(polled.id)).status, 'COMPLETED'), 60);
  // No request reads this upload: only the sweep can announce it to the engine.
  await eventually(async () => assert.equal((await row(swept.id)).status, 'COMPLETED'), 120);
  await assertOneFile(polled.id, polled.bytes);
  await assertOneFile(swept.id, swept.bytes);
  await assertNothingLeft(aborted.id, 120);
});
