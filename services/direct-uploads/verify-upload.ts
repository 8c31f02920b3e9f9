import type { EntityManager } from '@mikro-orm/postgresql';
import { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { isDirectUploadOpen } from '../../domain/uploads/direct-upload.ts';
import type { Engine } from '../../temporal/client.ts';
import type { VerificationOutcome } from '../../temporal/contract/direct-upload.ts';
import { acknowledge } from '../shared/due.ts';
import { partsKeyOf } from './create-upload.ts';
import { startIngestedFile } from '../uploads/ingest-file.ts';
import { findUpload, type UploadTarget } from './find-upload.ts';
import { gatherUpload, replaceParts } from './gather-upload.ts';
import {
  inspectObject,
  type InspectDeps,
  type InspectedObject,
  type UploadFinding,
} from './inspect-object.ts';
import { findingOf, settleFinding, settleVerified } from './settle-upload.ts';
import { signalUploadEnd } from './change-upload.ts';

export interface VerifyDeps extends InspectDeps {
  em: EntityManager;
  engine: Engine;
}

/**
 * Verifies a confirmed upload, and creates its file or records why not. Idempotent at any point: an outcome settled by
 * a previous attempt is only read.
 */
export async function verifyUpload(
  deps: VerifyDeps,
  target: UploadTarget,
  signal: AbortSignal,
): Promise<VerificationOutcome> {
  const { em } = deps;
  const upload = await findUpload(em, target);
  await acknowledge(em, DirectUpload, upload);
  if (isDirectUploadOpen(upload.status) && upload.completeRequestedAt) {
    const key = await verify(deps, upload, signal);
    if ('kind' in key) await settle(deps, upload, key, signal);
  }
  const settled = await findUpload(em, target);
  if (settled.status === 'COMPLETED') await startIngestedFile(deps, settled);
  await signalUploadEnd(deps, settled);
  if (isDirectUploadOpen(settled.status)) return 'reopened';
  return settled.status === 'COMPLETED' ? 'completed' : 'closed';
}

async function verify(
  deps: VerifyDeps,
  upload: DirectUpload,
  signal: AbortSignal,
): Promise<{ key: string } | UploadFinding> {
  const gathered = await gatherUpload(deps, upload, signal);
  if ('kind' in gathered) return gathered;
  const inspected = await inspectObject(deps, gathered.key, upload, signal);
  const finding = 'kind' in inspected ? inspected : await accept(gathered.key, inspected);
  if (!finding) return gathered;
  // This is a copy; the bytes that the client sent stay where they were.
  if (upload.mode === 'single_shot') await deps.objects.remove([gathered.key]);
  return finding;

  async function accept(key: string, inspected: InspectedObject): Promise<UploadFinding | undefined> {
    try {
      await settleVerified(deps.em.fork(), upload, key, inspected);
      return undefined;
    } catch (error) {
      return findingOf(error);
    }
  }
}

/** A mismatching object is discarded; the parts of a multipart upload are kept where the store can copy them. */
async function settle(
  { em, objects }: VerifyDeps,
  upload: DirectUpload,
  finding: UploadFinding,
  signal: AbortSignal,
): Promise<void> {
  const restarted = finding.kind === 'restarted';
  const replaced =
    restarted && upload.mode === 'multipart' ? await replaceParts(objects, upload, signal) : undefined;
  const settled = await settleFinding(em.fork(), upload, finding, replaced);
  if (settled && restarted) await objects.remove([partsKeyOf(upload)]);
  if (!settled && replaced) await objects.abortMultipart(replaced.multipart);
}
