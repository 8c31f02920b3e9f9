import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import type { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { UploadPart } from '../../db/entities/uploads/upload-part.ts';
import { AppError } from '../../domain/app-error.ts';
import type { FailureReason } from '../../domain/components.ts';
import { findDuplicate } from '../files/find-duplicate.ts';
import { changeUpload, batchPlace, recordUploadEnd } from './change-upload.ts';
import { lockUploadSession } from '../upload-sessions/find-upload-session.ts';
import { lockUpload } from './find-upload.ts';
import { ingestFile } from '../uploads/ingest-file.ts';
import type { InspectedObject, UploadFinding } from './inspect-object.ts';
import type { ReplacedParts } from './gather-upload.ts';

/**
 * Creates the file of a verified object and closes its upload, in one transaction: whatever races with it, abort,
 * expiry or another verification, there is at most one file. With `skipDuplicates`, an existing file is the result.
 *
 * @returns the file to process, if one was created
 * @throws AppError QUOTA_EXHAUSTED
 */
export async function settleVerified(
  em: EntityManager,
  verified: DirectUpload,
  key: string,
  { content, sha256 }: InspectedObject,
): Promise<StoredFile | undefined> {
  return em.transactional(async (tx) => {
    const upload = await lockUpload(tx, { uploadId: verified.id, tenantId: verified.tenantId });
    if (upload.round !== verified.round || !changeUpload(upload, { type: 'verified' })) return undefined;
    const session = batchPlace(upload);
    // Exclusive lock first: with only the shared lock of `ingestFile`, concurrent files of the batch could not seal it.
    if (session) await lockUploadSession(tx, { sessionId: session.sessionId, tenantId: upload.tenantId });
    const { id: tenantId, tier } = await tx.findOneOrFail(Tenant, upload.tenantId);
    const { fileId, sizeBytes, filename, title, tags, contentCategory, options } = upload;
    const folderId = upload.folderId ?? null;
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
        folderId,
        ...content,
        objectKey: key,
        sha256,
        apiKeyId: upload.apiKeyId,
        ...(session && { session }),
      },
      // The announcement was accepted, and the bytes may have taken days.
      'put-in-root',
    );
    upload.confirmedAt = new Date();
    upload.mediaType = content.mediaType;
    upload.claimedSha256 = sha256;
    if ('duplicateOf' in outcome) upload.duplicateOf = outcome.duplicateOf.id;
    // `ingestFile` has locked the content.
    upload.deduplicated = (await findDuplicate(tx, tenantId, sha256, fileId)) !== null;
    await recordUploadEnd(tx, upload);
    return 'created' in outcome ? outcome.created : undefined;
  });
}

/**
 * Records why an upload did not become a file, and reopens it if the client can fix that.
 *
 * @param replaced the multipart upload that takes its place, when one restarts
 * @returns false when the upload had moved on, and nothing was changed
 */
export async function settleFinding(
  em: EntityManager,
  verified: DirectUpload,
  finding: UploadFinding,
  replaced?: ReplacedParts,
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const upload = await lockUpload(tx, { uploadId: verified.id, tenantId: verified.tenantId });
    if (upload.round !== verified.round) return false;
    // A late verification does not apply to a newer confirmation.
    if (upload.confirmedSha256 !== verified.confirmedSha256) return false;
    const { kind } = finding;
    const reason = withAdvice(finding.reason, replaced);
    if (kind === 'refused') {
      const changed = changeUpload(upload, { type: 'refused', reason });
      if (changed) await recordUploadEnd(tx, upload);
      return changed;
    }
    const bytesGone = !replaced?.copied && (kind !== 'reopened' || reason.code === 'NOT_UPLOADED');
    if (!changeUpload(upload, { type: 'reopened', reason, bytesGone })) return false;
    if (kind === 'unconfirmed') {
      await tx.nativeDelete(UploadPart, { uploadId: upload.id, partNumber: { $in: finding.parts } });
    }
    if (kind === 'restarted') upload.round += 1;
    if (replaced) await replaceRows(tx, upload, replaced);
    return true;
  });
}

function withAdvice(reason: FailureReason, replaced: ReplacedParts | undefined): FailureReason {
  if (!replaced) return reason;
  const advice = replaced.copied
    ? 'all parts stay confirmed: send and confirm again those that are wrong, with URLs of parts/retry'
    : 'the store cannot keep the parts: send and confirm all of them again, with URLs of parts/retry';
  return { ...reason, message: `${reason.message}; ${advice}` };
}

async function replaceRows(
  tx: EntityManager,
  upload: DirectUpload,
  { multipart, copied }: ReplacedParts,
): Promise<void> {
  upload.laterPartsKey = multipart.key;
  upload.storeUploadId = multipart.uploadId;
  if (!copied) {
    await tx.nativeDelete(UploadPart, { uploadId: upload.id });
    return;
  }
  await tx.execute(
    `update upload_parts part set etag = copy.etag
     from jsonb_to_recordset(?::jsonb) as copy (number int, etag text)
     where part.upload_id = ? and part.part_number = copy.number`,
    [JSON.stringify(copied), upload.id],
  );
}

/** Converts a rejection to a finding; most are temporary, such as exhausted credits. */
export function findingOf(error: unknown): UploadFinding {
  if (!(error instanceof AppError)) throw error;
  const kind = error.code === 'UPLOAD_SESSION_ENDED' ? 'refused' : 'reopened';
  return { kind, reason: { code: error.code, message: error.message } };
}
