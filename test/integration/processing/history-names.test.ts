import type { Client } from '@temporalio/client';
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { startFileWork, toUploadSessionFile } from '../../../services/processing/start-file-work.ts';
import { createEngine, type Engine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { eventually, sharedRun } from '../../support/api.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { images, uniqueImage } from '../../support/images.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';

/** The summaries in the list of workflows that operators see. */
const orm = createOrm(readConfig([databaseConfig], process.env));
const engine = createEngine(readConfig([temporalConfig], process.env));
const { client } = await createOwnTenant(orm, sharedRun());
after(async () => {
  await engine.close();
  await orm.close(true);
});
const { workflow } = engine.client;
const summaryOf = async (fileId: string) =>
  (await workflow.getHandle(FILE_WORKFLOWS.of(fileId)).describe()).staticSummary();

test('the workflow of a file begins with its name, alone and in a batch', async () => {
  const single = await client.ingest({ bytes: await uniqueImage(), filename: 'Hafen bei Nacht.jpg' });
  assert.match(
    (await summaryOf(single)) ?? '',
    /^Hafen bei Nacht\.jpg: image\/jpeg, \d+ bytes, generation 1$/,
  );
  const [image] = await images(1);
  assert.ok(image);
  const { body } = await client.batch([{ ...image, filename: 'first.jpg' }]);
  const id = body.immediate_results[0].file_id as string;
  const summary = await eventually(() => summaryOf(id));
  assert.equal(summary, `first.jpg: image ${id.slice(0, 8)} of a batch, generation 1`);
});

test('with HISTORY_NAMES=off the name is neither in the summary nor in the input', async () => {
  const started: { staticSummary?: string; args?: unknown[] }[] = [];
  const start = async (_type: string, options: object) => void started.push(options);
  const off: Engine = {
    ...engine,
    historyNames: false,
    within: (_ms, calls) => calls({ workflow: { start } } as unknown as Client),
  };
  const id = await client.ingest({ bytes: await uniqueImage(), filename: 'secret.jpg' });
  const em = orm.em.fork();
  const file = await em.findOneOrFail(StoredFile, { id });
  assert.equal(await startFileWork({ em, engine: off }, file), true);
  assert.match(started[0]?.staticSummary ?? '', /^image\/jpeg, \d+ bytes, generation 1$/);
  assert.doesNotMatch(JSON.stringify(started[0]), /secret/);
  assert.equal(toUploadSessionFile(off, file).name, undefined);
  assert.equal(toUploadSessionFile(engine, file).name, 'secret.jpg');
});
