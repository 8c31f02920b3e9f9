import { ownerOf } from '../../support/principals.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { openUploadSession } from '../../../services/upload-sessions/open-upload-session.ts';
import { reconcileStale } from '../../../services/recovery/sweeps.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { describeUploadSessionRun } from '../../../temporal/status/describe-workflow-run.ts';
import { eventually } from '../../support/api.ts';
import { ensureSchedules } from '../../../worker/ensure-schedules.ts';
import { SCHEDULE_IDS } from '../../../temporal/contract/schedules.ts';
import { UPLOAD_SESSION_WORKFLOWS } from '../../../temporal/contract/upload-session.ts';

/** Temporal schedules, and lost sessions that the sweep recovers. */
const engine = createEngine(readConfig([temporalConfig], process.env));
const orm = createOrm(readConfig([databaseConfig], process.env));
after(async () => {
  await engine.close();
  await orm.close(true);
});
const handle = (id: string) => engine.client.schedule.getHandle(id);
const HOUR_MS = 3_600_000;

test('the worker creates every schedule, and repeating that changes none', async () => {
  const look = () => Promise.all(Object.values(SCHEDULE_IDS).map(async (id) => handle(id).describe()));
  const before = await look();
  await Promise.all([ensureSchedules(engine), ensureSchedules(engine)]);
  const after = await look();
  assert.deepEqual(
    after.map(({ info, spec, action }) => ({ updated: info.lastUpdatedAt, spec, action })),
    before.map(({ info, spec, action }) => ({ updated: info.lastUpdatedAt, spec, action })),
  );
  const purge = await handle(SCHEDULE_IDS.purge).describe();
  assert.deepEqual(
    [purge.spec.intervals?.[0]?.every, purge.action.workflowType, purge.action.args],
    [HOUR_MS, 'purgeFiles', [{ days: 30, byFile: true }]],
  );
});

test('an outdated schedule is updated, and a paused one stays paused', async () => {
  const purge = handle(SCHEDULE_IDS.purge);
  await purge.pause('looking into something');
  await purge.update(({ action, ...previous }) => ({
    ...previous,
    spec: { intervals: [{ every: '7 days' }] },
    action: { ...action, args: [{ days: 3 }], workflowExecutionTimeout: '1 min' },
  }));
  await ensureSchedules(engine);
  const { spec, action, state } = await purge.describe();
  assert.deepEqual(
    [spec.intervals?.[0]?.every, action.args, action.workflowExecutionTimeout],
    [HOUR_MS, [{ days: 30, byFile: true }], 12 * HOUR_MS],
  );
  assert.deepEqual([state.paused, state.note], [true, 'looking into something']);
  await purge.unpause();
});

test('an obsolete schedule is deleted', async () => {
  const retired = 'schedule/of-an-older-build';
  await engine.client.schedule.create({
    scheduleId: retired,
    spec: { intervals: [{ every: '7 days' }] },
    action: { type: 'startWorkflow', workflowType: 'gone', taskQueue: 'workflows' },
  });
  await eventually(async () => {
    await ensureSchedules(engine);
    await assert.rejects(handle(retired).describe());
  });
});

test('the sweep restarts the lost workflow of an open session that no client reads', async () => {
  const em = () => orm.em.fork();
  const tenantId = randomUUID();
  await em().insert(Tenant, { id: tenantId, name: 'lost', tier: 'enterprise', createdAt: new Date() });
  const principal = ownerOf(tenantId);
  const sessionId = randomUUID();
  await openUploadSession(em(), principal, { sessionId, uploadMethod: 'streaming' });
  const backdate = (hours: number) =>
    em().nativeUpdate(
      UploadSession,
      { id: sessionId },
      { createdAt: new Date(Date.now() - hours * HOUR_MS), engineDueAt: null },
    );
  const recover = () => reconcileStale({ em: em(), engine }, () => undefined);
  await backdate(0);
  await recover();
  assert.equal(
    await describeUploadSessionRun(engine, sessionId, 5000),
    undefined,
    'the session is too recent',
  );
  await backdate(1);
  assert.ok((await recover()) >= 1);
  assert.equal((await describeUploadSessionRun(engine, sessionId, 5000))?.outcome, 'running');

  await backdate(1);
  await engine.client.workflow
    .getHandle(UPLOAD_SESSION_WORKFLOWS.of(sessionId))
    .terminate('the test is over');
  await recover();
  assert.equal((await em().findOneOrFail(UploadSession, { id: sessionId })).status, 'failed');
});
