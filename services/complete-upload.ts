import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { UploadIntent } from '../db/entities/upload-intent.ts';
import { Refusal } from '../domain/refusal.ts';
import { isIntentOpen } from '../domain/upload-intent.ts';
import type { Engine } from '../temporal/client.ts';
import { changeUpload } from './change-upload.ts';
import { findUpload, lockUpload } from './find-upload.ts';
import type { UploadTarget } from './find-upload.ts';
import { judgeUpload } from './judge-upload.ts';
import { refuseMissingParts } from './missing-parts.ts';
import { refusalOf, refuseClosedUpload } from './refuse-closed-upload.ts';
import { seeObject } from './see-object.ts';
import { tellUpload } from './tell-upload.ts';

/** Verification takes a moment for pictures and hours for terabytes; a client waits this long for it. */
const SETTLED_WITHIN_MS = 8000;
const DESCRIBE_DEADLINE_MS = 1000;

export interface CompleteDeps {
  em: EntityManager;
  objects: ObjectStore;
  engine: Engine;
}

/**
 * Takes the word of a client that all bytes are there: first into the row, then to the engine, which verifies them.
 * Waits a while for the outcome. With the engine down, the row alone holds the wish, and the sweep brings it there.
 *
 * @returns the intent, `COMPLETED` or still open because verification goes on
 * @throws Refusal HASH_MISMATCH, SIZE_MISMATCH, PARTS_MISSING, NOT_UPLOADED, UNSUPPORTED_MEDIA, QUOTA_EXHAUSTED, and
 *   why an upload that has ended cannot be completed
 */
export async function completeUpload(deps: CompleteDeps, target: UploadTarget): Promise<UploadIntent> {
  const intent = await requestCompletion(deps, target);
  if (!isIntentOpen(intent.status)) return intent;
  const told = await tellUpload(deps, intent);
  if (told === 'ended') await judgeUpload(deps, intent, DESCRIBE_DEADLINE_MS);
  return settled(deps.em, target, told === 'unreachable' ? 0 : SETTLED_WITHIN_MS);
}

async function requestCompletion(deps: CompleteDeps, target: UploadTarget): Promise<UploadIntent> {
  const { em } = deps;
  const found = await findUpload(em, target);
  if (found.status === 'COMPLETED') return found;
  refuseClosedUpload(found);
  if (!(await seeObject(deps, found))) throw new Refusal('NOT_UPLOADED', 'nothing has been uploaded yet');
  await em.transactional(async (tx) => {
    const intent = await lockUpload(tx, target);
    if (intent.status === 'COMPLETED') return;
    refuseClosedUpload(intent);
    if (intent.mode === 'multipart') await refuseMissingParts(tx, intent);
    const asked = intent.completeRequestedAt !== null;
    changeUpload(intent, { type: 'complete_requested' });
    if (!asked) intent.signalledAt = null;
  });
  return findUpload(em, target);
}

/** Polls the row, which says the same whoever settled it. */
async function settled(em: EntityManager, target: UploadTarget, milliseconds: number): Promise<UploadIntent> {
  const deadline = Date.now() + milliseconds;
  for (let pause = 40; ; pause = Math.min(pause * 1.5, 400)) {
    const intent = await findUpload(em, target);
    if (intent.status === 'COMPLETED') return intent;
    if (!isIntentOpen(intent.status) || !intent.completeRequestedAt) throw refusalOf(intent);
    if (Date.now() > deadline) return intent;
    await sleep(pause);
  }
}
