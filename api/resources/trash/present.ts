import type { z } from 'zod';
import type { DeletionReceipt } from '../../../db/entities/trash/deletion-receipt.ts';
import { goneAt } from '../../../domain/trash/trash.ts';
import type { Deletion } from '../../../services/trash/delete-files.ts';
import type { Restoration } from '../../../services/trash/restore-file.ts';
import type { batchDeleteAnswer, deletion, receiptAnswer, restoreAnswer } from './schema.ts';

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
  const message = outcome === 'deleted' ? trashMessage(deletedAt) : 'was deleted before';
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

export function trashMessage(deletedAt: Date): string {
  const day = goneAt(deletedAt).toISOString().slice(0, 10);
  return `in the trash; POST /files/{id}/restore brings it back until ${day}`;
}

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
