import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { isIntentOpen } from '../../../domain/uploads/upload-intent.ts';
import type { Engine } from '../../../temporal/client.ts';
import type { VerificationOutcome } from '../../../temporal/contract/direct-upload.ts';
import { acknowledge } from '../../shared/due.ts';
import { partsKeyOf } from './create-upload.ts';
import { startIngestedFile } from '../ingest-file.ts';
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
  const intent = await findUpload(em, target);
  await acknowledge(em, UploadIntent, intent);
  if (isIntentOpen(intent.status) && intent.completeRequestedAt) {
    const key = await verify(deps, intent, signal);
    if ('kind' in key) await settle(deps, intent, key, signal);
  }
  const settled = await findUpload(em, target);
  if (settled.status === 'COMPLETED') await startIngestedFile(deps, settled);
  await signalUploadEnd(deps, settled);
  if (isIntentOpen(settled.status)) return 'reopened';
  return settled.status === 'COMPLETED' ? 'completed' : 'closed';
}

async function verify(
  deps: VerifyDeps,
  intent: UploadIntent,
  signal: AbortSignal,
): Promise<{ key: string } | UploadFinding> {
  const gathered = await gatherUpload(deps, intent, signal);
  if ('kind' in gathered) return gathered;
  const inspected = await inspectObject(deps, gathered.key, intent, signal);
  const finding = 'kind' in inspected ? inspected : await accept(gathered.key, inspected);
  if (!finding) return gathered;
  // This is a copy; the bytes that the client sent stay where they were.
  if (intent.mode === 'single_shot') await deps.objects.remove([gathered.key]);
  return finding;

  async function accept(key: string, inspected: InspectedObject): Promise<UploadFinding | undefined> {
    try {
      await settleVerified(deps.em.fork(), intent, key, inspected);
      return undefined;
    } catch (error) {
      return findingOf(error);
    }
  }
}

/** A mismatching object is discarded; the parts of a multipart upload are kept where the store can copy them. */
async function settle(
  { em, objects }: VerifyDeps,
  intent: UploadIntent,
  finding: UploadFinding,
  signal: AbortSignal,
): Promise<void> {
  const restarted = finding.kind === 'restarted';
  const replaced =
    restarted && intent.mode === 'multipart' ? await replaceParts(objects, intent, signal) : undefined;
  const settled = await settleFinding(em.fork(), intent, finding, replaced);
  if (settled && restarted) await objects.remove([partsKeyOf(intent)]);
  if (!settled && replaced) await objects.abortMultipart(replaced.upload);
}
