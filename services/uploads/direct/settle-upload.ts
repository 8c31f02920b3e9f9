import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { UploadPart } from '../../../db/entities/uploads/upload-part.ts';
import { AppError } from '../../../domain/app-error.ts';
import { changeUpload } from './change-upload.ts';
import { lockUploadSession } from '../../upload-sessions/find-upload-session.ts';
import { lockUpload } from './find-upload.ts';
import { ingestFile } from '../ingest-file.ts';
import type { InspectedObject } from './inspect-object.ts';
import { batchPlace, noteUploadEnd } from './note-upload-end.ts';
import type { UploadFinding } from './upload-finding.ts';

/** The new multipart upload when one restarts. */
export interface FreshParts {
  key: string;
  uploadId: string;
}

/**
 * Creates the file of a verified object and closes its intent, in one transaction: whatever races with it, abort,
 * expiry or another verification, there is at most one file. With `skipDuplicates`, an existing file is the result.
 *
 * @returns the file to process, if one was created
 * @throws AppError QUOTA_EXHAUSTED
 */
export async function settleVerified(
  em: EntityManager,
  verified: UploadIntent,
  key: string,
  { content, sha256 }: InspectedObject,
): Promise<StoredFile | undefined> {
  return em.transactional(async (tx) => {
    const intent = await lockUpload(tx, { uploadId: verified.id, tenantId: verified.tenantId });
    if (intent.round !== verified.round || !changeUpload(intent, { type: 'verified' })) return undefined;
    const session = batchPlace(intent);
    // Exclusive lock first: with only the shared lock of `ingestFile`, concurrent files of the batch could not seal it.
    if (session) await lockUploadSession(tx, { sessionId: session.sessionId, tenantId: intent.tenantId });
    const { id: tenantId, tier } = await tx.findOneOrFail(Tenant, intent.tenantId);
    const { fileId, sizeBytes, filename, title, tags, contentCategory, options } = intent;
    const outcome = await ingestFile(
      tx,
      { tenantId, tier },
      {
        fileId,
        sizeBytes,
        filename,
        title: title ?? null,
        tags,
        contentCategory,
        options,
        ...content,
        objectKey: key,
        sha256,
        ...(session && { session }),
      },
    );
    intent.confirmedAt = new Date();
    intent.mediaType = content.mediaType;
    intent.claimedSha256 = sha256;
    if ('created' in outcome) {
      intent.objectKey = key;
    } else {
      intent.duplicateOf = outcome.duplicateOf.id;
      intent.objectKey = outcome.duplicateOf.objectKey;
    }
    await noteUploadEnd(tx, intent);
    return 'created' in outcome ? outcome.created : undefined;
  });
}

/**
 * Records why an upload did not become a file, and reopens it if the client can fix that.
 *
 * @param fresh the new multipart upload, when all parts have to be sent again
 * @returns false when the intent had moved on, and nothing was changed
 */
export async function settleFinding(
  em: EntityManager,
  verified: UploadIntent,
  finding: UploadFinding,
  fresh?: FreshParts,
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const intent = await lockUpload(tx, { uploadId: verified.id, tenantId: verified.tenantId });
    if (intent.round !== verified.round) return false;
    // A late verification does not apply to a newer confirmation.
    if (intent.confirmedSha256 !== verified.confirmedSha256) return false;
    const { kind, reason } = finding;
    if (kind === 'refused') {
      const changed = changeUpload(intent, { type: 'refused', reason });
      if (changed) await noteUploadEnd(tx, intent);
      return changed;
    }
    if (!changeUpload(intent, { type: 'reopened', reason, bytesGone: bytesGone(finding) })) return false;
    if (kind === 'unconfirmed') {
      await tx.nativeDelete(UploadPart, { uploadId: intent.id, partNumber: { $in: finding.parts } });
    }
    if (kind === 'restarted') intent.round += 1;
    if (kind === 'restarted' && fresh) {
      await tx.nativeDelete(UploadPart, { uploadId: intent.id });
      intent.objectKey = fresh.key;
      intent.storeUploadId = fresh.uploadId;
    }
    return true;
  });
}

function bytesGone({ kind, reason }: UploadFinding): boolean {
  return kind !== 'reopened' || reason.code === 'NOT_UPLOADED';
}

/** Converts a rejection to a finding; most are temporary, such as exhausted credits. */
export function findingOf(error: unknown): UploadFinding {
  if (!(error instanceof AppError)) throw error;
  const kind = error.code === 'SESSION_ENDED' ? 'refused' : 'reopened';
  return { kind, reason: { code: error.code, message: error.message } };
}
