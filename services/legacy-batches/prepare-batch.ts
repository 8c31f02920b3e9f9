import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { secondsToCreditReset } from '../../domain/accounts/credits.ts';
import { MAX_WAITING_BATCHES, PENDING_WINDOW_SECONDS } from '../../domain/limits.ts';
import { AppError } from '../../domain/app-error.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import { isDirectUploadOpen } from '../../domain/uploads/direct-upload.ts';
import type { Engine } from '../../temporal/client.ts';
import { createUpload, type PromisedFile } from '../direct-uploads/create-upload.ts';
import { findBatchUploads } from './waiting-batches.ts';
import { openUploadSession, startUploadSession } from '../upload-sessions/open-upload-session.ts';
import { readQuota } from '../accounts/tenants/read-limits.ts';
import { apiKeyIdOf, type Principal } from '../accounts/principal.ts';
import { recordItem } from '../upload-sessions/record-item.ts';
import { startOrSignalDirectUpload } from '../direct-uploads/reconcile-direct-upload.ts';
import type { UploadMemory } from '../uploads/streaming/upload-memory.ts';

const RETRY_AFTER_SECONDS = 60;

export interface PrepareDeps {
  em: EntityManager;
  objects: ObjectStore;
  engine: Engine;
  uploadMemory: UploadMemory;
}

/**
 * Creates a presigned batch: a session, and a direct upload for each of its files. All or nothing. Idempotent by
 * `batchId`: a repeat returns what exists.
 *
 * @throws AppError QUOTA_EXHAUSTED when the credits do not suffice for all files, TOO_MANY_BATCHES
 */
export async function prepareBatch(
  deps: PrepareDeps,
  principal: Principal,
  batchId: string,
  files: readonly PromisedFile[],
): Promise<{ session: UploadSession; uploads: DirectUpload[] }> {
  const { em, engine } = deps;
  const { tenantId } = principal;
  if ((await em.count(UploadSession, { id: batchId, tenantId })) === 0) {
    await rejectOverQuota(deps, principal, files.length);
  }
  const session = await em.transactional(async (tx) => {
    await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 1))', [tenantId]);
    const known = await tx.findOne(UploadSession, { id: batchId, tenantId });
    if (known) return known;
    await rejectTooMany(tx, tenantId);
    const opened = await openUploadSession(tx, principal, { sessionId: batchId, uploadMethod: 'presigned' });
    for (const [index, file] of files.entries()) {
      const session = { sessionId: batchId, index };
      const target = { uploadId: randomUUID(), tenantId };
      const announced = { ...file, session, apiKeyId: apiKeyIdOf(principal.credential) };
      await createUpload(
        { ...deps, em: tx },
        target,
        announced,
        { mode: 'single_shot' },
        PENDING_WINDOW_SECONDS,
      );
      await recordItem(tx, session, file.filename, { state: 'uploading' });
    }
    return opened;
  });
  const uploads = await findBatchUploads(em, session);
  if (isOpenUploadSession(session.status)) await startUploadSession(engine, session);
  const open = uploads.filter(({ status }) => isDirectUploadOpen(status));
  await Promise.all(open.map((upload) => startOrSignalDirectUpload({ em: em.fork(), engine }, upload)));
  return { session, uploads };
}

async function rejectOverQuota(deps: PrepareDeps, principal: Principal, files: number): Promise<void> {
  const quota = await readQuota(deps, principal, files);
  if (quota.canProceed) return;
  throw new AppError('QUOTA_EXHAUSTED', quota.message ?? 'the credits of this month do not suffice', {
    retryAfterSeconds: secondsToCreditReset(new Date()),
  });
}

async function rejectTooMany(tx: EntityManager, tenantId: string): Promise<void> {
  const waiting = await tx.count(UploadSession, {
    tenantId,
    uploadMethod: 'presigned',
    status: { $in: ['pending', 'uploading'] },
    sealedBy: null,
  });
  if (waiting < MAX_WAITING_BATCHES) return;
  const message = `${waiting} batches wait for their files; confirm, cancel or clean up one of them first`;
  throw new AppError('TOO_MANY_BATCHES', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
