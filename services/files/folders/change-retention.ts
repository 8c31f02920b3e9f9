import type { EntityManager } from '@mikro-orm/postgresql';
import type { Folder } from '../../../db/entities/folders/folder.ts';
import type { Caller } from '../../accounts/principal.ts';
import { recordAuditEvent } from '../../audit-log/record-audit-event.ts';
import { findFolder, lockFolderTree } from './folders.ts';

/**
 * Sets how long the files of a folder stay, also of the root folder of a project; absent fields keep their values.
 *
 * @param change `retentionDays` 0: files stay; null: as above the folder
 * @throws AppError NOT_FOUND
 */
export async function changeRetention(
  em: EntityManager,
  { tenantId, credential, ipAddress }: Caller,
  folderId: string,
  change: { retentionDays?: number | null | undefined; trashDays?: number | null | undefined },
): Promise<Folder> {
  return em.transactional(async (tx) => {
    await lockFolderTree(tx, tenantId);
    const folder = await findFolder(tx, tenantId, folderId);
    const { retentionDays = folder.retentionDays, trashDays = folder.trashDays } = change;
    Object.assign(folder, { retentionDays, trashDays });
    await recordAuditEvent(tx, {
      tenantId,
      type: 'folder.retention_changed',
      credential,
      ipAddress,
      resource: { type: 'folder', id: folder.id },
      metadata: { folder: folder.name, retention_days: retentionDays, trash_days: trashDays },
    });
    return folder;
  });
}
