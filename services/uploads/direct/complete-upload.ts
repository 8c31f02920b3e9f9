import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { AppError, type ErrorCode } from '../../../domain/app-error.ts';
import { isIntentOpen } from '../../../domain/uploads/upload-intent.ts';
import type { Engine } from '../../../temporal/client.ts';
import { START_DEADLINE_MS } from '../../../temporal/deadlines.ts';
import { markDue } from '../../shared/due.ts';
import { changeUpload } from './change-upload.ts';
import { findUpload, lockUpload, toAppError, rejectClosedUpload, type UploadTarget } from './find-upload.ts';
import { reconcileDirectUpload, startOrSignalDirectUpload } from './reconcile-direct-upload.ts';
import { rejectMissingParts } from './confirm-part.ts';
import { detectObject } from './observe-direct-upload.ts';

/** The errors of a completion: of the upload, and of the bytes once they are verified. */
export const COMPLETION_ERRORS: readonly ErrorCode[] = [
  'UPLOAD_ABORTED',
  'UPLOAD_EXPIRED',
  'UPLOAD_FAILED',
  'UPLOAD_SESSION_ENDED',
  'NOT_UPLOADED',
  'PARTS_MISSING',
  'SIZE_MISMATCH',
  'HASH_MISMATCH',
  'UNSUPPORTED_MEDIA',
  'QUOTA_EXHAUSTED',
];

/** Verification takes moments for images and hours for terabytes; a request waits for it this long. */
const SETTLED_WITHIN_MS = 8000;
export interface CompleteDeps {
  em: EntityManager;
  objects: ObjectStore;
  engine: Engine;
}

/** Attributes that a client may defer until it confirms. */
export interface Confirmation {
  sizeBytes?: number | undefined;
  /** Hexadecimal, lower case. */
  sha256?: string | undefined;
  /** False overrides the option given at creation. */
  autoDescribe?: boolean | undefined;
}

/**
 * Requests completion of an upload, first in its row, then in the engine, which verifies the bytes. Waits a while for
 * the outcome. With the engine unreachable, the request stays in the row until the sweep forwards it.
 *
 * @returns the intent, `COMPLETED` or still open because verification is in progress
 * @throws AppError HASH_MISMATCH, SIZE_MISMATCH, PARTS_MISSING, NOT_UPLOADED, UNSUPPORTED_MEDIA, QUOTA_EXHAUSTED, and
 *   why an upload that has ended cannot be completed
 */
export async function completeUpload(
  deps: CompleteDeps,
  target: UploadTarget,
  confirmation: Confirmation = {},
): Promise<UploadIntent> {
  const intent = await requestCompletion(deps, target, confirmation);
  if (!isIntentOpen(intent.status)) return intent;
  const signalled = await startOrSignalDirectUpload(deps, intent);
  if (signalled === 'ended') await reconcileDirectUpload(deps, intent, START_DEADLINE_MS);
  return settled(deps.em, target, signalled === 'unreachable' ? 0 : SETTLED_WITHIN_MS);
}

async function requestCompletion(
  deps: CompleteDeps,
  target: UploadTarget,
  confirmation: Confirmation,
): Promise<UploadIntent> {
  const { em } = deps;
  const found = await findUpload(em, target);
  rejectContradiction(found, confirmation);
  if (found.status === 'COMPLETED') return found;
  rejectClosedUpload(found);
  if (!(await detectObject(deps, found))) throw new AppError('NOT_UPLOADED', 'nothing has been uploaded yet');
  await em.transactional(async (tx) => {
    const intent = await lockUpload(tx, target);
    if (intent.status === 'COMPLETED') return;
    rejectClosedUpload(intent);
    rejectContradiction(intent, confirmation);
    if (confirmation.autoDescribe === false) intent.options = { ...intent.options, autoDescribe: false };
    if (intent.mode === 'multipart') await rejectMissingParts(tx, intent);
    const alreadyRequested = intent.completeRequestedAt !== null;
    if (!alreadyRequested) intent.confirmedSha256 = confirmation.sha256 ?? null;
    changeUpload(intent, { type: 'complete_requested' });
    if (!alreadyRequested) markDue(intent);
  });
  return findUpload(em, target);
}

/**
 * A confirmation may add a SHA-256 that was not claimed at creation, but must not contradict the one claimed then or by
 * the confirmation that is being verified.
 */
function rejectContradiction(intent: UploadIntent, { sizeBytes, sha256 }: Confirmation): void {
  if (sizeBytes !== undefined && sizeBytes !== intent.sizeBytes) {
    const message = `${intent.sizeBytes} bytes were announced, not ${sizeBytes}`;
    throw new AppError('SIZE_MISMATCH', message);
  }
  const known = intent.claimedSha256 ?? (intent.completeRequestedAt && intent.confirmedSha256);
  if (sha256 !== undefined && known && sha256 !== known) {
    throw new AppError('HASH_MISMATCH', `the SHA-256 is ${known} as claimed or verified`);
  }
}

/** Polls the row, which has the outcome whichever process settled it. */
async function settled(em: EntityManager, target: UploadTarget, milliseconds: number): Promise<UploadIntent> {
  const deadline = Date.now() + milliseconds;
  for (let pause = 40; ; pause = Math.min(pause * 1.5, 400)) {
    const intent = await findUpload(em, target);
    if (intent.status === 'COMPLETED') return intent;
    if (!isIntentOpen(intent.status) || !intent.completeRequestedAt) throw toAppError(intent);
    if (Date.now() > deadline) return intent;
    await sleep(pause);
  }
}
