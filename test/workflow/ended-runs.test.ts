import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ApplicationFailure } from '@temporalio/common';
import { ALL_WORK } from '../../services/all-work.ts';
import { imageImportWork } from '../../services/image-imports/image-import-work.ts';
import { haveEnded, listEnded } from '../../services/recovery/sweeps.ts';
import type { Engine } from '../../temporal/client.ts';
import { IMAGE_IMPORT_WORKFLOWS } from '../../temporal/contract/import-image.ts';
import { workflowOptions } from '../../temporal/contract/workflow.ts';
import { eventually } from '../support/api.ts';
import { startWorkflowEnv, type WorkflowEnv } from '../support/workflow-env.ts';

let testEnv: WorkflowEnv;
before(async () => {
  testEnv = await startWorkflowEnv();
});
after(() => testEnv.close());

test('the sweep pages through runs that ended without recording it, and leaves out those that did', async () => {
  const { client } = testEnv.env;
  const engine = { client, within: (_milliseconds, calls) => calls(client) } as Engine;
  const begin = async () => {
    const fileId = randomUUID();
    const options = workflowOptions(IMAGE_IMPORT_WORKFLOWS, { fileId, tenantId: randomUUID() });
    return {
      fileId,
      handle: await client.workflow.start('importImage', { ...options, taskQueue: 'workflows' }),
    };
  };
  const failure = () => {
    throw ApplicationFailure.nonRetryable('no such image');
  };
  const startedAt = new Date(Date.now() - 60_000);
  const unrecorded: string[] = [];
  await testEnv.withWorkers({ fetchImportedImage: failure, failImageImport: () => undefined }, async () => {
    const { handle } = await begin();
    await assert.rejects(handle.result());
  });
  await testEnv.withWorkers({ fetchImportedImage: failure, failImageImport: failure }, async () => {
    const { fileId, handle } = await begin();
    await assert.rejects(handle.result());
    unrecorded.push(fileId);
  });
  for (let at = 0; at < 4; at += 1) {
    const { fileId, handle } = await begin();
    await handle.terminate();
    unrecorded.push(fileId);
  }
  const ended = (since: number) => haveEnded(engine, ALL_WORK, new Date(since));
  assert.equal(await ended(Date.now() + 60_000), false);
  await eventually(async () => {
    assert.equal(await ended(startedAt.getTime()), true);
    const pages: string[][] = [];
    for await (const page of listEnded(engine, imageImportWork.target, startedAt, 2)) pages.push(page);
    assert.deepEqual(pages.flat().toSorted(), unrecorded.toSorted());
    assert.ok(pages.length >= 3 && pages.every(({ length }) => length <= 2), JSON.stringify(pages));
  });
});
