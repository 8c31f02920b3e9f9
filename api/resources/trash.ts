import { z } from 'zod';
import { MAX_BATCH_DELETE } from '../../domain/limits.ts';
import { flag, page } from '../../domain/schemas/query.ts';
import { count, idParam, message, pageOf, primaryStatus, timestamp } from './fields.ts';
import type { DeletionReceipt } from '../../db/entities/trash/deletion-receipt.ts';
import { goneAt } from '../../domain/trash/retention.ts';
import type { Deletion } from '../../services/trash/delete-files.ts';
import type { Restoration } from '../../services/trash/restore-file.ts';

export const deleteQuery = z.object({
  permanent: flag
    .default(false)
    .describe('Remove it for good instead, also from the trash; needs ADMIN permission'),
});

export const emptiedTrash = z
  .object({
    erased_files: count.describe('Number of files that are being removed for good'),
    has_more: z.boolean().describe('Whether the trash has more files, for another request'),
  })
  .meta({ id: 'EmptiedTrash' });

export const deleteAnswer = z
  .object({
    id: z.uuid().describe('Id of the file'),
    deleted_at: timestamp.describe('When it was moved to the trash'),
    message,
  })
  .meta({ id: 'DeletedFile' });

export const restoreAnswer = z
  .object({
    id: z.uuid().describe('Id of the file'),
    restored: z.boolean().describe('Whether it was restored; false if it was not in the trash'),
    primary_status: primaryStatus,
    resumed: z.array(z.string()).describe('Components interrupted by the deletion and now resumed'),
    folder_id: z
      .uuid()
      .nullable()
      .describe('Id of the folder that it is in now; null in the root, also if its folder was deleted'),
    duplicate_of: z
      .uuid()
      .nullable()
      .describe('Id of another file with the same content; null if there is none'),
    message,
  })
  .meta({ id: 'RestoredFile' });

export const batchDeleteBody = z.strictObject({
  file_ids: z
    .array(z.guid().toLowerCase())
    .min(1)
    .max(MAX_BATCH_DELETE)
    .refine((ids) => new Set(ids).size === ids.length, 'each id once')
    .meta({ override: { uniqueItems: true } })
    .describe('Ids of the files to delete'),
});

const deletion = z
  .object({
    id: z.guid().describe('Id of the file'),
    status: z.enum(['deleted', 'failed']).describe('Whether the file is in the trash'),
    message,
    deleted_at: timestamp.nullable().describe('When it was moved to the trash; null if it was not'),
  })
  .meta({ id: 'Deletion' });

export const batchDeleteAnswer = z
  .object({
    deleted: z.array(deletion).describe('Files that this request moved to the trash'),
    skipped: z.array(deletion).describe('Files that were already in the trash'),
    failed: z.array(deletion).describe('Files that could not be deleted, such as unknown ones'),
    summary: z
      .object({
        total: count.describe('Number of ids in the request'),
        deleted: count.describe('Number of files that this request moved to the trash'),
        skipped: count.describe('Number of files that were already in the trash'),
        failed: count.describe('Number of files that could not be deleted'),
      })
      .describe('Numbers of the files'),
  })
  .meta({ id: 'BatchDeletion' });

export const receiptParams = z.object({ file_id: idParam('Id of a removed file') });

export const receiptQuery = z.object(page(100, 20));

export const receiptAnswer = z
  .object({
    file_id: z.uuid().describe('Id that the file had'),
    filename: z.string().describe('Name that the file had'),
    sha256: z.string().describe('SHA-256 of the original, hexadecimal'),
    deleted_at: timestamp.describe('When it was moved to the trash'),
    purged_at: timestamp.describe('When it was permanently removed'),
    removed: z
      .object({
        rows: count.describe('Number of rows: the one of the file and its dependent rows'),
        objects: count.describe(
          'Number of objects: original, variants, and leftovers of interrupted uploads',
        ),
        vectors: count.describe('Number of vectors, including those removed from the index by the deletion'),
      })
      .describe('What was removed'),
  })
  .meta({ id: 'DeletionReceipt' });

export const receiptList = z.object(pageOf(receiptAnswer)).meta({ id: 'DeletionReceiptList' });

/** The result for each file of a batch deletion. */
export function presentDeletions(deletions: Deletion[]): z.input<typeof batchDeleteAnswer> {
  const of = (outcome: Deletion['outcome']) =>
    deletions.filter((deletion) => deletion.outcome === outcome).map(presentDeletion);
  const answer = { deleted: of('deleted'), skipped: of('deleted_before'), failed: of('refused') };
  const { deleted, skipped, failed } = answer;
  const counts = { deleted: deleted.length, skipped: skipped.length, failed: failed.length };
  return { ...answer, summary: { total: deletions.length, ...counts } };
}

function presentDeletion(one: Deletion): z.input<typeof deletion> {
  const { id, outcome } = one;
  if (outcome === 'refused') {
    return { id, status: 'failed', message: one.reason, deleted_at: null };
  }
  const { deletedAt } = one;
  const message = outcome === 'deleted' ? trashMessage(one) : 'was deleted before';
  return { id, status: 'deleted', message, deleted_at: deletedAt.toISOString() };
}

export function presentRestoration(restoration: Restoration): z.input<typeof restoreAnswer> {
  const { file, restored, resumed, duplicateOf } = restoration;
  return {
    id: file.id,
    restored,
    primary_status: file.primaryStatus,
    resumed,
    folder_id: file.folderId ?? null,
    duplicate_of: duplicateOf?.id ?? null,
    message: restoreMessage(restoration),
  };
}

export function trashMessage(deleted: Parameters<typeof goneAt>[0]): string {
  const day = goneAt(deleted).toISOString().slice(0, 10);
  return `in the trash; POST /files/{id}/restore brings it back until ${day}`;
}

/** The message about a file that is removed for good. */
export const ERASED =
  'is being removed for good and cannot be restored; GET /files/deletions/{id} has the receipt within two hours';

function restoreMessage({ restored, resumed, unpaid, folderGone, duplicateOf }: Restoration): string {
  if (!restored) return 'the file is not in the trash; nothing was changed';
  return [
    'restored',
    resumed.length > 0 && `${resumed.join(' and ')} cut short by the deletion continues`,
    unpaid.length > 0 && `${unpaid.join(' and ')} waits for credits, and for a retry`,
    folderGone && 'its folder was deleted, so it is in the root',
    duplicateOf && `there is another file with the same content, ${duplicateOf.id}`,
  ]
    .filter(Boolean)
    .join('; ');
}

/** The receipt of a permanently removed file. */
export function presentReceipt(receipt: DeletionReceipt): z.input<typeof receiptAnswer> {
  const { rows, objects, vectors } = receipt;
  return {
    file_id: receipt.fileId,
    filename: receipt.filename,
    sha256: receipt.sha256,
    deleted_at: receipt.deletedAt.toISOString(),
    purged_at: receipt.purgedAt.toISOString(),
    removed: { rows, objects, vectors },
  };
}
