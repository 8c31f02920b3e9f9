import type { z } from 'zod';
import type { FolderView } from '../../../services/files/folders/read-folders.ts';
import type { FolderDeletion } from '../../../services/trash/delete-folder.ts';
import type { folderAnswer, folderDeletion } from './schema.ts';

export function presentFolder({ folder, path, fileCount }: FolderView): z.input<typeof folderAnswer> {
  return {
    id: folder.id,
    name: folder.name,
    parent_id: folder.parentId ?? null,
    project_id: folder.projectId ?? null,
    path,
    file_count: fileCount,
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
