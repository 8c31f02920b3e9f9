import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { DataExport } from '../../../db/entities/exports/export.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { discardExport } from '../../../services/exports/end-export.ts';
import { ALL_WORK } from '../../../services/all-work.ts';
import { startUploadSession } from '../../../services/upload-sessions/open-upload-session.ts';
import { sealUploadSession } from '../../../services/upload-sessions/seal-upload-session.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { eventually, sharedRun } from '../../support/api.ts';
import { createDueWork, lyingEngine } from '../../support/due-work.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';

/**
 * An engine that is being killed or is coming back may give any answer. No row is taken for known to its workflow before
 * that has read it.
 */
const config = readConfig([databaseConfig, s3Config, temporalConfig], process.env);
const orm = createOrm(config);
const engine = createEngine(config);
const objects = createS3ObjectStore(config);
const em = () => orm.em.fork();
const { kinds, runningSession, storedImage, newExport } = createDueWork({ orm, engine, objects });
after(async () => {
  await engine.close();
  await orm.close(true);
});

for (const [event, { noun, entity, make, isRead }] of Object.entries(kinds)) {
  const target = targetOf(noun);
  const markOf = async (id: string) => (await em().findOneOrFail(entity, { id })).engineDueAt ?? null;
  // The workflow of a session may have read the row by itself meanwhile.
  const isDueOrRead = async (id: string) =>
    (await markOf(id)) !== null || (await em().count(UploadSession, { id, status: 'completed' })) === 1;

  for (const knows of ['every workflow', 'no workflow'] as const) {
    test(`${event} stays due although an engine that knows ${knows} has accepted it, until it is read`, async () => {
      const lying = lyingEngine(engine, knows);
      const id = await make(await createOwnTenant(orm, sharedRun()), lying);
      assert.ok(await isDueOrRead(id));
      await target.reconcile({ em: em(), engine: lying }, id);
      assert.ok(await isDueOrRead(id));
      await eventually(async () => {
        await target.reconcile({ em: em(), engine }, id);
        assert.ok(isRead(await em().findOneOrFail(entity, { id })));
      });
    });
  }
}

test('a start that finds the workflow of a session running does not hide a change from it', async () => {
  const { tenantId } = await createOwnTenant(orm, sharedRun());
  const { id: sessionId } = await runningSession(tenantId);
  await sealUploadSession(em(), { sessionId, tenantId }, 'client');
  const session = () => em().findOneOrFail(UploadSession, sessionId);
  // As a repeated request does.
  assert.equal(await startUploadSession(engine, await session()), true);
  const { engineDueAt: due, status: before } = await session();
  // Its workflow may have read the row by itself meanwhile.
  assert.ok(due ?? before === 'completed');
  const sweep = targetOf('upload session');
  await sweep.reconcile({ em: em(), engine }, sessionId);
  await eventually(async () => {
    const { status, engineDueAt } = await session();
    assert.deepEqual([status, engineDueAt], ['completed', null]);
  });
});

test('a session with nothing left to do is due, and ends, whatever its mark says', async () => {
  const { tenantId } = await createOwnTenant(orm, sharedRun());
  const { id } = await runningSession(tenantId);
  await sealUploadSession(em(), { sessionId: id, tenantId }, 'client');
  await em().nativeUpdate(UploadSession, { id }, { engineDueAt: null });
  const sweep = targetOf('upload session');
  const due = await sweep.findDue(em(), new Date(0), 10_000);
  // Its workflow may have read the row again by itself.
  const { status } = await em().findOneOrFail(UploadSession, id);
  assert.ok(due.includes(id) || status === 'completed');
  await sweep.reconcile({ em: em(), engine }, id);
  await eventually(async () => {
    assert.equal((await em().findOneOrFail(UploadSession, id)).status, 'completed');
  });
});

test('a file of which its session never heard makes the session due, and is processed', async () => {
  const { tenantId } = await createOwnTenant(orm, sharedRun());
  const { id: sessionId } = await runningSession(tenantId);
  const { id } = await storedImage(tenantId, sessionId);
  const sweep = targetOf('upload session');
  const file = () => em().findOneOrFail(StoredFile, { id });
  if ((await file()).engineDueAt) {
    const due = await sweep.findDue(em(), new Date(Date.now() + 1000), 10_000);
    assert.ok(due.includes(sessionId) || (await file()).workflowStartedAt);
  }
  await eventually(async () => {
    await sweep.reconcile({ em: em(), engine }, sessionId);
    assert.deepEqual([(await file()).primaryStatus, (await file()).engineDueAt], ['completed', null]);
  });
});

test('the cancellation of an export stays due until its workflow has ended', async () => {
  const { tenantId } = await createOwnTenant(orm, sharedRun());
  const { id: exportId } = await newExport(tenantId);
  await discardExport(em(), { exportId, tenantId });
  const lying = lyingEngine(engine, 'every workflow');
  const target = targetOf('export');
  await target.reconcile({ em: em(), engine: lying }, exportId);
  const row = () => em().findOneOrFail(DataExport, exportId);
  assert.ok((await row()).engineDueAt);
  await target.reconcile({ em: em(), engine }, exportId);
  assert.equal((await row()).engineDueAt, null);
});

/** What the sweep does with rows of a kind. */
function targetOf(noun: string) {
  const target = ALL_WORK.find((each) => each.noun === noun);
  assert.ok(target);
  return target;
}
