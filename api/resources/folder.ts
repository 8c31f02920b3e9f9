import { z } from 'zod';
import { MAX_RETENTION_DAYS, MAX_TRASH_DAYS } from '../../domain/limits.ts';
import { optional, folderName } from '../../domain/schemas/text.ts';
import { flag, page } from '../../domain/schemas/query.ts';
import type { FolderView } from '../../services/files/folders/read-folders.ts';
import type { FolderDeletion } from '../../services/trash/delete-folder.ts';
import {
  count,
  createdAt,
  days,
  folderOrRoot,
  idParam,
  message,
  pageOf,
  projectId,
  timestamp,
} from './fields.ts';

export const folderParams = z.object({ folder_id: idParam('Id of a folder') });

export const folderAnswer = z
  .object({
    id: z.uuid().describe('Id of the folder'),
    name: z.string().describe('Name of the folder, unique in its parent'),
    parent_id: z.uuid().nullable().describe('Id of the folder that it is in; null in the root'),
    project_id: projectId,
    path: z.string().describe('Names from the root to the folder, such as `/Harbour/2026`'),
    file_count: count.describe('Number of files directly in it, without those in the trash'),
    retention_days: z
      .int()
      .nullable()
      .describe('Days after which files in it move to the trash; 0: never; null: as above it'),
    trash_days: z
      .int()
      .nullable()
      .describe('Days that files of it are in the trash before they are removed for good; null: as above it'),
    created_at: createdAt,
  })
  .meta({ id: 'Folder' });

export const folderList = z.object(pageOf(folderAnswer)).meta({ id: 'FolderList' });

export const folderListQuery = z.object({
  parent_id: folderOrRoot
    .optional()
    .describe('Only folders directly in this one, or in the `root`; by default, folders of all levels'),
  project_id: z.guid().toLowerCase().optional().describe('Only folders of this project'),
  ...page(100, 20),
});

export const createFolderBody = z.strictObject({
  name: folderName.describe('Name of the folder, unique in its parent'),
  parent_id: optional(z.guid().toLowerCase()).describe('Id of the parent; by default the root'),
  project_id: optional(z.guid().toLowerCase()).describe(
    'Project whose root folder is the parent if there is no `parent_id`',
  ),
});

export const changeFolderBody = z
  .strictObject({
    name: optional(folderName).describe('Name of the folder, unique in its parent'),
    parent_id: z
      .guid()
      .toLowerCase()
      .nullish()
      .describe('Moves the folder with everything in it; null: to the root'),
    retention_days: days(0, MAX_RETENTION_DAYS).describe(
      'Days after which files in it move to the trash, from when they were added or restored; 0: never; null: as the ' +
        'folder above it, or the account, says. For admins',
    ),
    trash_days: days(1, MAX_TRASH_DAYS).describe(
      'Days that files of it are in the trash before they are removed for good; null: as above it. For admins',
    ),
  })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'send at least one of name, parent_id, retention_days, trash_days',
  })
  .meta({ override: { minProperties: 1 } });

export const deleteQuery = z.object({
  recursive: flag
    .default(false)
    .describe('Whether to delete its content as well: folders are deleted, files move to the trash'),
});

const deletion = {
  id: z.uuid().describe('Id of what was deleted'),
  deleted_at: timestamp.describe('When it was deleted'),
  deleted_folders: count.describe('Number of folders that are deleted'),
  deleted_files: count.describe('Number of files that this request moved to the trash'),
  pending_files: count.describe('Number of files that follow in the background'),
  message,
};

export const folderDeletion = z.object(deletion).meta({ id: 'DeletedFolder' });

export function presentFolder({ folder, path, fileCount }: FolderView): z.input<typeof folderAnswer> {
  return {
    id: folder.id,
    name: folder.name,
    parent_id: folder.parentId ?? null,
    project_id: folder.projectId ?? null,
    path,
    file_count: fileCount,
    retention_days: folder.retentionDays ?? null,
    trash_days: folder.trashDays ?? null,
    created_at: folder.createdAt.toISOString(),
  };
}

/** @param id of the folder or project that was deleted */
export function presentFolderDeletion(
  id: string,
  { deletedAt, folders, files, pendingFiles }: FolderDeletion,
): z.input<typeof folderDeletion> {
  return {
    id,
    deleted_at: deletedAt.toISOString(),
    deleted_folders: folders,
    deleted_files: files,
    pending_files: pendingFiles,
    message:
      pendingFiles > 0
        ? `deleted; ${pendingFiles} more files are being moved to the trash`
        : 'deleted; files that were in it are in the trash and can be restored from there, into the root',
  };
}
