import { ownerOf } from '../../support/principals.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { NO_WORKER_MS } from '../../../domain/stuck.ts';
import type { Principal } from '../../../services/accounts/principal.ts';
import {
  findTarget,
  UploadSessionCancelled,
  UploadSessionPaused,
} from '../../../services/processing/file-target.ts';
import { quietSince } from '../../../services/processing/find-stuck-files.ts';
import { observeFile } from '../../../services/processing/observe-file.ts';
import { processingStatusOf } from '../../../services/processing/processing-status-of.ts';
import { timelineOf } from '../../../services/processing/timeline-of.ts';
import { unifiedStatusOf } from '../../../services/processing/unified-status-of.ts';
import { openUploadSession } from '../../../services/upload-sessions/open-upload-session.ts';
import { createEngine, type Engine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { QUEUES } from '../../../temporal/contract/queues.ts';
import { createLastSeenOf } from '../../../temporal/status/task-queues.ts';
import { eventually } from '../../support/api.ts';
import { ingestImage } from '../../support/ingest-image.ts';
import { workflowOptions } from '../../../temporal/contract/workflow.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';

/** The engine calls for the views of a file, and the reaction of a step to its session. */
const engine = createEngine(readConfig([temporalConfig], process.env));
const orm = createOrm(readConfig([databaseConfig], process.env));
const em = () => orm.em.fork();
after(async () => {
  await engine.close();
  await orm.close(true);
});

/** The engine, with the number of calls by operation. */
function counted(): { engine: Engine; calls: Record<string, number> } {
  const calls: Record<string, number> = {};
  const client = engine.client.workflowService as unknown as Record<string, unknown>;
  const workflowService = new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        calls[String(name)] = (calls[String(name)] ?? 0) + 1;
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
  const connection = new Proxy(engine.client.connection, {
    get: (target, name) =>
      name === 'workflowService' ? workflowService : (Reflect.get(target, name) as unknown),
  });
  const Client = engine.client.constructor as new (options: object) => Engine['client'];
  const counting = new Client({ connection, namespace: engine.client.options.namespace });
  return { calls, engine: { ...engine, client: counting, within: (_ms, ask) => ask(counting) } };
}

async function stored(sessionId?: string, given?: Principal) {
  const tenantId = given?.tenantId ?? randomUUID();
  if (!given) {
    await em().insert(Tenant, { id: tenantId, name: 'observed', tier: 'enterprise', createdAt: new Date() });
  }
  const principal: Principal = given ?? ownerOf(tenantId);
  const session = sessionId === undefined ? undefined : { sessionId, index: 0 };
  return { principal, file: await ingestImage(em(), tenantId, session) };
}

test('all views of an open file together make one describe call and one history call', async () => {
  const { principal, file } = await stored();
  const { id: fileId, mediaType, generation, components } = file;
  const input = {
    fileId,
    tenantId: principal.tenantId,
    mediaType,
    generation,
    components,
    priority: 'normal' as const,
  };
  // On a queue that no worker polls, so that its state does not change.
  await engine.client.workflow.start('processFile', {
    ...workflowOptions(FILE_WORKFLOWS, input),
    taskQueue: 'unpolled',
  });
  const { engine: watched, calls } = counted();
  const own = em();
  const seen = await observeFile({ em: own, engine: watched }, await own.findOneOrFail(StoredFile, fileId));
  const timeline = await timelineOf(own, seen);
  assert.equal(timeline.runs.length, 1);
  assert.equal(processingStatusOf(seen, timeline).length, 3);
  // While the engine does not say who polls the queue, no file is stuck.
  await eventually(async () => {
    const lastSeenOf = createLastSeenOf(engine, 5000);
    const { stuck } = await unifiedStatusOf({ em: own, lastSeenOf }, seen, 0);
    assert.equal(stuck?.cause, 'no_worker');
  });
  // Two minutes old, it is stuck whatever the patience, unless a worker of the queue is alive.
  const past = new Date(Date.now() - 120_000);
  const run = seen.run && {
    ...seen.run,
    startedAt: past,
    ...(seen.run.decision && { decision: { ...seen.run.decision, scheduledAt: past } }),
  };
  const older = { ...seen, run, history: async () => ({ events: [] }) };
  const causeWith = async (workerSeenAt: Date | undefined) =>
    (await unifiedStatusOf({ em: own, lastSeenOf: async () => workerSeenAt }, older, 30 * 60_000)).stuck
      ?.cause;
  assert.equal(await causeWith(undefined), 'no_worker');
  assert.equal(await causeWith(new Date()), undefined);
  assert.deepEqual(
    [calls['describeWorkflowExecution'], calls['getWorkflowExecutionHistory']],
    [1, 1],
    JSON.stringify(calls),
  );
  await engine.client.workflow.getHandle(`file/${fileId}`).terminate('the test is over');
});

test('files are looked at after 90 seconds while a queue has no worker, and after the patience asked for otherwise', async () => {
  const patienceMs = 30 * 60_000;
  const quietFor = async (visionProviders: string[]) => {
    const since = await quietSince({ engine, visionProviders }, patienceMs);
    return Date.now() - since.getTime();
  };
  // Workers that have just started have not polled each queue yet.
  await eventually(async () => assert.ok((await quietFor([])) >= patienceMs));
  const unserved = await quietFor(['nobody']);
  assert.ok(unserved >= NO_WORKER_MS && unserved < patienceMs, String(unserved));
});

test('workers send heartbeats, by which a worker whose slots are all taken is known to be alive', async () => {
  const { workflowService, options } = engine.client;
  await eventually(async () => {
    const query = `TaskQueue = '${QUEUES.io}'`;
    const { workersInfo } = await workflowService.listWorkers({
      namespace: options.namespace,
      pageSize: 10,
      query,
    });
    assert.ok(workersInfo.some(({ workerHeartbeat }) => workerHeartbeat?.heartbeatTime));
  }, 60);
});

test('a step waits for a paused session, stops for a cancelled one, and runs if it was retried since', async () => {
  const { principal } = await stored();
  const sessionId = randomUUID();
  await openUploadSession(em(), principal, { sessionId, uploadMethod: 'streaming' });
  const { file } = await stored(sessionId, principal);
  const target = { fileId: file.id, tenantId: principal.tenantId, generation: 1 };
  const begun = new Date();
  await em().nativeUpdate(StoredFile, { id: file.id }, { workflowStartedAt: begun });
  const session = (change: Partial<UploadSession>) =>
    em().nativeUpdate(UploadSession, { id: sessionId }, change);

  assert.equal((await findTarget(em(), target)).id, file.id);
  await session({ pausedAt: new Date() });
  await assert.rejects(findTarget(em(), target), UploadSessionPaused);
  await session({ pausedAt: null, status: 'cancelled', completedAt: new Date(begun.getTime() + 1) });
  await assert.rejects(findTarget(em(), target), UploadSessionCancelled);
  await session({ completedAt: new Date(begun.getTime() - 1) });
  assert.equal((await findTarget(em(), target)).id, file.id);
});
