import { z } from 'zod';
import { optional } from '../../../domain/schemas/absent.ts';
import { folderName } from '../../../domain/schemas/folder-name.ts';
import { flag, page } from '../../../domain/schemas/query.ts';
import { count, folderOrRoot, idParam, timestamp } from '../fields.ts';

export const folderParams = z.object({ folder_id: idParam('Id of a folder') });

export const folderAnswer = z
  .object({
    id: z.uuid().meta({ description: 'Id of the folder' }),
    name: z.string(),
    parent_id: z.uuid().nullable(),
    project_id: z.uuid().nullable(),
    path: z.string().meta({ description: 'Names from the root to the folder, such as `/Harbour/2026`' }),
    file_count: count.meta({ description: 'Number of files directly in it, without those in the trash' }),
    created_at: timestamp,
  })
  .meta({ id: 'Folder' });

export const folderList = z
  .object({
    items: z.array(folderAnswer),
    total_count: count,
    limit: count,
    offset: count,
    has_more: z.boolean(),
  })
  .meta({ id: 'FolderList' });

export const folderListQuery = z.object({
  parent_id: folderOrRoot.optional().meta({
    description: 'Only folders directly in this one, or in the `root`; by default, folders of all levels',
  }),
  project_id: z.guid().toLowerCase().optional().meta({ description: 'Only folders of this project' }),
  ...page(100, 20),
});

export const createFolderBody = z.strictObject({
  name: folderName,
  parent_id: optional(z.guid().toLowerCase()).meta({ description: 'By default the root' }),
  project_id: optional(z.guid().toLowerCase()).meta({
    description: 'Its root folder is the parent when there is no parent_id',
  }),
});

export const changeFolderBody = z
  .strictObject({
    name: optional(folderName),
    parent_id: z
      .guid()
      .toLowerCase()
      .nullish()
      .meta({ description: 'Moves the folder with everything in it; null: to the root' }),
  })
  .refine((body) => body.name !== undefined || body.parent_id !== undefined, {
    message: 'send at least one of name, parent_id',
  })
  .meta({ override: { minProperties: 1 } });

export const deleteQuery = z.object({
  recursive: flag
    .default(false)
    .meta({ description: 'Also what is in it: folders are deleted, files move to the trash' }),
});

const deletion = {
  id: z.uuid().meta({ description: 'Id of what was deleted' }),
  deleted_at: timestamp,
  deleted_folders: count.meta({ description: 'Number of folders that are deleted' }),
  deleted_files: count.meta({ description: 'Number of files that this request moved to the trash' }),
  pending_files: count.meta({ description: 'Number of files that follow in the background' }),
  message: z.string(),
};

export const folderDeletion = z.object(deletion).meta({ id: 'DeletedFolder' });
