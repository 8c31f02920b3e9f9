import type { EntityManager } from '@mikro-orm/postgresql';
import { FileRemoval } from '../../db/entities/trash/file-removal.ts';
import { AppError, notFound } from '../../domain/app-error.ts';
import type { Caller } from '../accounts/principal.ts';
import { recordAuditEvent } from '../audit-log/record-audit-event.ts';
import { lockFile } from '../files/find-file.ts';
import { lockFolder } from '../files/folders/folders.ts';
import { lockRemovals } from './lock-tree.ts';

/**
 * Holds a file, live or in the trash: until it is released, nothing moves it to the trash or removes it, nor what it came
 * with, nor what came with it. A repeat replaces the reason.
 *
 * @throws AppError NOT_FOUND, also for a file that is being removed for good
 */
export async function holdFile(
  em: EntityManager,
  caller: Caller,
  fileId: string,
  reason: string,
): Promise<void> {
  const { tenantId, credential, ipAddress } = caller;
  await em.transactional(async (tx) => {
    await lockRemovals(tx, tenantId, 'keeping');
    const file = await lockFile(tx, tenantId, fileId);
    if (!file || (await tx.count(FileRemoval, { fileId, beganAt: { $ne: null } })) > 0)
      throw notFound('file');
    if (file.hold?.reason === reason) return;
    file.hold = { reason, since: file.hold?.since ?? new Date().toISOString() };
    // Its folder is being deleted, and would wait for the file.
    if (!file.deletedAt && file.folderId && !(await lockFolder(tx, tenantId, file.folderId)))
      file.folderId = null;
    await tx.flush();
    await recordAuditEvent(tx, {
      tenantId,
      type: 'file.held',
      credential,
      ipAddress,
      resource: { type: 'file', id: fileId },
      metadata: { filename: file.filename, reason },
    });
  });
}

/**
 * Releases a file; idempotent.
 *
 * @throws AppError NOT_FOUND
 */
export async function releaseFile(em: EntityManager, caller: Caller, fileId: string): Promise<void> {
  const { tenantId, credential, ipAddress } = caller;
  await em.transactional(async (tx) => {
    const file = await lockFile(tx, tenantId, fileId);
    if (!file) throw notFound('file');
    if (!file.hold) return;
    const { reason, since } = file.hold;
    file.hold = null;
    await tx.flush();
    await recordAuditEvent(tx, {
      tenantId,
      type: 'file.released',
      credential,
      ipAddress,
      resource: { type: 'file', id: fileId },
      metadata: { filename: file.filename, reason, since },
    });
  });
}

/**
 * Rejects the deletion of a file, whose row is locked, because of its own hold or that of a file it belongs with.
 *
 * @throws AppError FILE_HELD
 */
export async function rejectHeld(tx: EntityManager, fileId: string): Promise<void> {
  const [row] = await tx.execute<{ held: boolean }[]>('select file_is_held(?) as held', [fileId]);
  if (row?.held) throw heldError();
}

export function heldError(what = 'the file, or one that it belongs with, is held'): AppError {
  return new AppError('FILE_HELD', `${what}: an admin has to release it first`);
}
