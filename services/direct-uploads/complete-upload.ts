import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { AppError, type ErrorCode } from '../../domain/app-error.ts';
import { isDirectUploadOpen } from '../../domain/uploads/direct-upload.ts';
import type { Engine } from '../../temporal/client.ts';
import { START_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { markDue } from '../shared/due.ts';
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
 * @returns the upload, `COMPLETED` or still open because verification is in progress
 * @throws AppError HASH_MISMATCH, SIZE_MISMATCH, PARTS_MISSING, NOT_UPLOADED, UNSUPPORTED_MEDIA, QUOTA_EXHAUSTED, and
 *   why an upload that has ended cannot be completed
 */
export async function completeUpload(
  deps: CompleteDeps,
  target: UploadTarget,
  confirmation: Confirmation = {},
): Promise<DirectUpload> {
  const upload = await requestCompletion(deps, target, confirmation);
  if (!isDirectUploadOpen(upload.status)) return upload;
  const signalled = await startOrSignalDirectUpload(deps, upload);
  if (signalled === 'ended') await reconcileDirectUpload(deps, upload, START_DEADLINE_MS);
  return settled(deps.em, target, signalled === 'unreachable' ? 0 : SETTLED_WITHIN_MS);
}

async function requestCompletion(
  deps: CompleteDeps,
  target: UploadTarget,
  confirmation: Confirmation,
): Promise<DirectUpload> {
  const { em } = deps;
  const found = await findUpload(em, target);
  rejectContradiction(found, confirmation);
  if (found.status === 'COMPLETED') return found;
  rejectClosedUpload(found);
  if (!(await detectObject(deps, found))) throw new AppError('NOT_UPLOADED', 'nothing has been uploaded yet');
  await em.transactional(async (tx) => {
    const upload = await lockUpload(tx, target);
    if (upload.status === 'COMPLETED') return;
    rejectClosedUpload(upload);
    rejectContradiction(upload, confirmation);
    if (confirmation.autoDescribe === false) upload.options = { ...upload.options, autoDescribe: false };
    if (upload.mode === 'multipart') await rejectMissingParts(tx, upload);
    const alreadyRequested = upload.completeRequestedAt !== null;
    if (!alreadyRequested) upload.confirmedSha256 = confirmation.sha256 ?? null;
    changeUpload(upload, { type: 'complete_requested' });
    if (!alreadyRequested) markDue(upload);
  });
  return findUpload(em, target);
}

/**
 * A confirmation may add a SHA-256 that was not claimed at creation, but must not contradict the one claimed then or by
 * the confirmation that is being verified.
 */
function rejectContradiction(upload: DirectUpload, { sizeBytes, sha256 }: Confirmation): void {
  if (sizeBytes !== undefined && sizeBytes !== upload.sizeBytes) {
    const message = `${upload.sizeBytes} bytes were announced, not ${sizeBytes}`;
    throw new AppError('SIZE_MISMATCH', message);
  }
  const known = upload.claimedSha256 ?? (upload.completeRequestedAt && upload.confirmedSha256);
  if (sha256 !== undefined && known && sha256 !== known) {
    throw new AppError('HASH_MISMATCH', `the SHA-256 is ${known} as claimed or verified`);
  }
}

/** Polls the row, which has the outcome whichever process settled it. */
async function settled(em: EntityManager, target: UploadTarget, milliseconds: number): Promise<DirectUpload> {
  const deadline = Date.now() + milliseconds;
  for (let pause = 40; ; pause = Math.min(pause * 1.5, 400)) {
    const upload = await findUpload(em, target);
    if (upload.status === 'COMPLETED') return upload;
    if (!isDirectUploadOpen(upload.status) || !upload.completeRequestedAt) throw toAppError(upload);
    if (Date.now() > deadline) return upload;
    await sleep(pause);
  }
}
