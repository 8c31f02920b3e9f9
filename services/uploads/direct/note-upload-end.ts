import type { EntityManager } from '@mikro-orm/postgresql';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import { UploadSessionItem } from '../../../db/entities/upload-sessions/upload-session-item.ts';
import { isOpenUploadSession } from '../../../domain/upload-sessions/upload-session.ts';
import { EXPIRED } from '../../../domain/uploads/upload-intent.ts';
import type { Engine } from '../../../temporal/client.ts';
import { lockUploadSession } from '../../upload-sessions/find-upload-session.ts';
import { sealUploadSession } from '../../upload-sessions/seal-upload-session.ts';
import { noteItem, type ItemKey } from '../../upload-sessions/note-item.ts';
import { reconcileUploadSessionIfReachable } from '../../upload-sessions/reconcile-upload-session.ts';

/** Sending the file again helps against everything but this. */
const FINAL = 'UNSUPPORTED_MEDIA';

/** Whether an upload failed for what its file is: sending it again would end alike. */
export function isFinalFailure({ error }: UploadIntent): boolean {
  return error?.code === FINAL;
}

/** The place of an upload in its presigned batch, if it has one. */
export function batchPlace({ sessionId, sessionIndex }: UploadIntent): ItemKey | undefined {
  return sessionId && typeof sessionIndex === 'number' ? { sessionId, index: sessionIndex } : undefined;
}

/**
 * Tells the batch of an upload that it has ended, in the same transaction: one that failed is so in the batch as well,
 * and after the last one the batch is sealed. The upload's row is locked before that of the session, everywhere.
 */
export async function noteUploadEnd(tx: EntityManager, intent: UploadIntent): Promise<void> {
  const place = batchPlace(intent);
  if (!place) return;
  const target = { sessionId: place.sessionId, tenantId: intent.tenantId };
  const session = await lockUploadSession(tx, target);
  if (session.sealedBy || !isOpenUploadSession(session.status)) return;
  if (intent.status === 'FAILED') {
    const error = intent.error ?? { code: 'UPLOAD_FAILED', message: 'the upload has failed' };
    const retryable = !isFinalFailure(intent);
    const state = retryable ? 'missing' : 'rejected';
    await noteItem(tx, place, intent.filename, { state, error, retryable });
  }
  session.status = 'uploading';
  session.version += 1;
  await tx.flush();
  if ((await tx.count(UploadSessionItem, { sessionId: session.id, state: 'uploading' })) > 0) return;
  const abandoned = !session.confirmedAt && intent.error?.code === EXPIRED.code;
  await sealUploadSession(tx, target, abandoned ? 'expiry' : 'client');
}

/** Signals that to the workflow of the batch, after that transaction. What does not reach it stays due. */
export async function signalUploadEnd(
  { em, engine }: { em: EntityManager; engine: Engine },
  { sessionId, tenantId }: UploadIntent,
): Promise<void> {
  if (!sessionId) return;
  const session = await em.findOne(UploadSession, { id: sessionId, tenantId }, { refresh: true });
  if (session?.engineDueAt) await reconcileUploadSessionIfReachable({ em, engine }, session);
}
