import { ownerOf } from '../../support/principals.ts';
import fc from 'fast-check';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { primaryStatus } from '../../../domain/primary-status.ts';
import { AppError } from '../../../domain/app-error.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import {
  cancelUploadSession,
  failUploadSession,
  pauseUploadSession,
} from '../../../services/upload-sessions/cancel-upload-session.ts';
import {
  closeUploadSession,
  sealUploadSession,
} from '../../../services/upload-sessions/seal-upload-session.ts';
import { countFiles } from '../../../services/upload-sessions/count-files.ts';
import { ingestFile } from '../../../services/uploads/ingest-file.ts';
import { openUploadSession } from '../../../services/upload-sessions/open-upload-session.ts';
import type { Principal } from '../../../services/accounts/principal.ts';
import { retryFile } from '../../../services/processing/retry-file.ts';
import { retryUploadSession } from '../../../services/upload-sessions/retry-upload-session.ts';
import { recordItemWhileOpen } from '../../../services/upload-sessions/record-item.ts';
import { eventually } from '../../support/api.ts';

/** All actions that can end a session, concurrently on a real Postgres: it ends once, and its counts add up. */
const orm = createOrm(readConfig([databaseConfig], process.env));
const tenantId = randomUUID();
const principal: Principal = ownerOf(tenantId);
await orm.em
  .fork()
  .insert(Tenant, { id: tenantId, name: 'races', tier: 'enterprise', createdAt: new Date() });
after(() => orm.close(true));

const ACTS = ['cancel', 'close', 'seal', 'expire', 'fail', 'pause', 'begin', 'store', 'reject'] as const;

async function act(
  name: (typeof ACTS)[number],
  sessionId: string,
  index: number,
): Promise<string | undefined> {
  const em = orm.em.fork();
  const target = { sessionId, tenantId };
  try {
    if (name === 'cancel') return (await cancelUploadSession(em, target)).status;
    if (name === 'close') await closeUploadSession(em, target);
    if (name === 'seal') await sealUploadSession(em, target, 'client');
    if (name === 'expire') await sealUploadSession(em, target, 'expiry');
    if (name === 'fail') await failUploadSession(em, target, 1, { code: 'X', message: 'the workflow ended' });
    if (name === 'pause') await pauseUploadSession(em, target, true);
    if (name === 'begin') {
      await recordItemWhileOpen(em, { sessionId, index }, 'a.jpg', { state: 'uploading' });
    }
    if (name === 'reject') {
      await recordItemWhileOpen(em, { sessionId, index }, 'a.exe', { state: 'rejected' });
    }
    if (name === 'store') {
      await ingestFile(em, principal, {
        fileId: randomUUID(),
        objectKey: randomUUID(),
        sizeBytes: 1,
        sha256: randomUUID().replaceAll('-', '').padEnd(64, '0'),
        mediaType: 'image',
        contentType: 'image/jpeg',
        format: 'jpeg',
        filename: 'a.jpg',
        title: null,
        tags: [],
        contentCategory: 'general',
        options: { autoDescribe: true, skipDuplicates: false },
        session: { sessionId, index },
      });
    }
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'UPLOAD_SESSION_ENDED')) throw error;
  }
  return undefined;
}

test('in any race a session ends once, and then its counts are final', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...ACTS), { minLength: 4, maxLength: 10 }), async (acts) => {
      const sessionId = randomUUID();
      await openUploadSession(orm.em.fork(), principal, { sessionId, uploadMethod: 'streaming' });
      const answers = await Promise.all(acts.map((name, index) => act(name, sessionId, index)));
      await act('seal', sessionId, 100);
      await act('close', sessionId, 100);
      // Files without a workflow keep it open; then only a cancellation ends it.
      await act('cancel', sessionId, 100);
      const ended = await orm.em.fork().findOneOrFail(UploadSession, sessionId);
      assert.ok(['completed', 'failed', 'expired', 'cancelled'].includes(ended.status), ended.status);
      assert.ok(ended.completedAt);
      if (answers.includes('cancelled'))
        assert.equal(ended.status, 'cancelled', 'a reported cancellation must be final');
      assert.ok(answers.filter((status) => status === 'cancelled').length <= 1, 'cancelled twice');

      const counts = await countFiles(orm.em.fork(), sessionId);
      for (const [at, name] of ACTS.entries()) await act(name, sessionId, 100 + at);
      for (const at of acts.keys()) await act('reject', sessionId, at);
      const later = await orm.em.fork().findOneOrFail(UploadSession, sessionId);
      // The sweep of the stack moves the mark of a row whose workflow it has not seen end.
      const { engineDueAt } = later;
      assert.deepEqual({ ...later }, { ...ended, engineDueAt }, 'a terminal status never changes by itself');
      assert.deepEqual(await countFiles(orm.em.fork(), sessionId), counts);
      const { total, completed, failed, skipped, pending, inFlight } = counts;
      assert.equal(total, completed + failed + skipped + pending);
      assert.equal(inFlight, 0, 'no run has begun');
      if (ended.status !== 'cancelled') assert.equal(pending, 0);
    }),
    { numRuns: 40 },
  );
});

/** A sealed session with files that failed, by ascending id. */
async function failedSession(count: number) {
  const sessionId = randomUUID();
  const em = orm.em.fork();
  await openUploadSession(em, principal, { sessionId, uploadMethod: 'streaming' });
  for (let index = 0; index < count; index++) await act('store', sessionId, index);
  await act('seal', sessionId, count);
  const error = { code: 'X', message: 'failed' };
  const components = {
    variant: { status: 'failed', error },
    description: { status: 'failed', error },
  } as const;
  await em.nativeUpdate(StoredFile, { sessionId }, { components, primaryStatus: primaryStatus(components) });
  const files = await em.find(StoredFile, { sessionId }, { orderBy: { id: 'asc' }, refresh: true });
  return { sessionId, files };
}

test('a retry of a session waits for a running retry of one of its files without a deadlock', async () => {
  const { sessionId, files } = await failedSession(2);
  const last = files.at(-1);
  assert.ok(last);
  const waiting = async () => {
    const [row] = await orm.em.fork().execute<{ count: string }[]>(
      `select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%"session_id"%'
         or wait_event_type = 'Lock' and query like 'update "files"%'`,
    );
    assert.notEqual(row?.count, '0');
  };
  // As retryFile does: first the row, then the credits.
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
  const { promise: free, resolve: goOn } = Promise.withResolvers<void>();
  const single = orm.em.fork().transactional(async (tx) => {
    await tx.execute('select from files where id = ? for update', [last.id]);
    lock();
    await free;
    await retryFile(tx, principal, await tx.findOneOrFail(StoredFile, { id: last.id }));
  });
  await locked;
  const all = retryUploadSession(orm.em.fork(), principal, { sessionId, tenantId });
  await eventually(waiting);
  goOn();
  const [one, rest] = await Promise.allSettled([single, all]);
  assert.equal(one.status, 'fulfilled', String(one.status === 'rejected' && one.reason));
  assert.ok(rest.status === 'fulfilled', String(rest.status === 'rejected' && rest.reason));
  assert.equal(rest.value.retried, 1, 'the other one is in progress already');
});

test('concurrent retries of a session and of its files reopen each file once', async () => {
  for (let round = 0; round < 5; round++) {
    const { sessionId, files } = await failedSession(8);
    const outcomes = await Promise.allSettled([
      ...files.toReversed().map(async ({ id }) => {
        const em = orm.em.fork();
        return retryFile(em, principal, await em.findOneOrFail(StoredFile, { id }));
      }),
      retryUploadSession(orm.em.fork(), principal, { sessionId, tenantId }),
    ]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        assert.ok(outcome.reason instanceof AppError, String(outcome.reason));
    }
    const after = await orm.em.fork().find(StoredFile, { sessionId });
    assert.ok(after.every(({ generation }) => generation === 2));
  }
});
