import type { EntityManager } from '@mikro-orm/postgresql';
import type { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { UploadPart } from '../../db/entities/uploads/upload-part.ts';
import { invalidField, AppError } from '../../domain/app-error.ts';
import { partSize } from '../../domain/uploads/upload-plan.ts';
import { changeUpload } from './change-upload.ts';
import { lockUpload, rejectClosedUpload, type UploadTarget } from './find-upload.ts';

/** At most this many are listed in a response; there may be ten thousand. */
const NAMED = 100;

/**
 * Records that a part has arrived; confirming it again overwrites the record. With the last one the upload is
 * `UPLOADED`. The store is checked on completion.
 *
 * @returns the upload and how many of its parts are confirmed now
 * @throws AppError NOT_FOUND, WRONG_UPLOAD_MODE, WORK_IN_PROGRESS, VALIDATION_FAILED, and those of a closed upload
 */
export async function confirmPart(
  em: EntityManager,
  target: UploadTarget,
  part: { partNumber: number; etag: string; sizeBytes: number },
): Promise<{ upload: DirectUpload; partsConfirmed: number }> {
  return em.transactional(async (tx) => {
    const upload = await lockUpload(tx, target);
    rejectClosedUpload(upload);
    const expected = sizeOfPart(upload, part.partNumber);
    if (part.sizeBytes !== expected) {
      const message = `part ${part.partNumber} has ${expected} bytes`;
      throw invalid('size_bytes', message);
    }
    const key = { uploadId: upload.id, partNumber: part.partNumber };
    const known = await tx.findOne(UploadPart, key);
    if (known?.etag !== part.etag) {
      if (upload.completeRequestedAt) {
        throw new AppError('WORK_IN_PROGRESS', 'the upload is being verified; its parts cannot change now');
      }
      await tx.upsert(UploadPart, { ...key, ...part, confirmedAt: new Date() });
    }
    const partsConfirmed = await tx.count(UploadPart, { uploadId: upload.id });
    if (partsConfirmed === upload.totalParts && upload.status === 'PENDING') {
      changeUpload(upload, { type: 'bytes_seen' });
    }
    return { upload, partsConfirmed };
  });
}

/**
 * The required size of a part in bytes.
 *
 * @throws AppError WRONG_UPLOAD_MODE, VALIDATION_FAILED
 */
export function sizeOfPart(upload: DirectUpload, partNumber: number): number {
  const { sizeBytes, partSizeBytes, totalParts } = upload;
  if (!partSizeBytes || !totalParts) {
    throw new AppError('WRONG_UPLOAD_MODE', 'this upload is a single PUT and has no parts');
  }
  if (partNumber > totalParts) throw invalid('part_number', `there are ${totalParts} parts`);
  return partSize({ sizeBytes, partSizeBytes, totalParts }, partNumber);
}

function invalid(field: string, message: string): AppError {
  return invalidField(`/body/${field}`, message);
}

/**
 * Rejects a multipart upload with unconfirmed parts.
 *
 * @throws AppError PARTS_MISSING that names them
 */
export async function rejectMissingParts(em: EntityManager, upload: DirectUpload): Promise<void> {
  const missing = await em.execute<{ number: number; total: number }[]>(
    `select number, (count(*) over ())::int as total from generate_series(1, ?::int) as number
     where not exists (select 1 from upload_parts where upload_id = ? and part_number = number)
     order by number limit ?`,
    [upload.totalParts, upload.id, NAMED],
  );
  const [first] = missing;
  if (!first) return;
  const numbers = missing.map(({ number }) => number);
  throw new AppError('PARTS_MISSING', `${namedNumbers(numbers, first.total)} not confirmed`, {
    errors: numbers.map((number) => ({ pointer: `/parts/${number}`, message: 'not confirmed' })),
  });
}

/** `part 7 is` or `parts 1, 2, 3 and 47 more are`. */
export function namedNumbers(numbers: readonly number[], total = numbers.length): string {
  const named = numbers.slice(0, NAMED);
  if (total === 1) return `part ${named[0]} is`;
  const more = total - named.length;
  return `parts ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} are`;
}
