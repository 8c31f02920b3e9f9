import { MAX_FOLDER_DEPTH } from '../../domain/limits.ts';
import type { Invariant } from './invariant.ts';

export const folders: Invariant = {
  id: 'I12',
  title: 'every live file is in a live folder or the root, and the folders of every tenant are a tree',
  async *check({ em }) {
    const lost = await em().execute<{ id: string; folder_id: string }[]>(
      `select files.id, files.folder_id from files
       join folders on folders.tenant_id = files.tenant_id and folders.id = files.folder_id
       where files.deleted_at is null and folders.deleted_at is not null`,
    );
    for (const { id, folder_id: folder } of lost) yield `file ${id} is in folder ${folder}, which is deleted`;

    // What a walk from the root reaches is a tree.
    const astray = await em().execute<{ id: string }[]>(
      `with recursive reached as (
         select tenant_id, id, project_id, 1 as level from folders where parent_id is null and deleted_at is null
         union all
         select child.tenant_id, child.id, child.project_id, reached.level + 1
         from reached join folders child on child.tenant_id = reached.tenant_id and child.parent_id = reached.id
         where child.deleted_at is null and reached.level < ?
           and child.project_id is not distinct from reached.project_id
       )
       select id from folders where deleted_at is null
         and not exists (select from reached where reached.tenant_id = folders.tenant_id and reached.id = folders.id)`,
      [MAX_FOLDER_DEPTH],
    );
    for (const { id } of astray) {
      yield `folder ${id} has a deleted parent, the project of another one, or is in a cycle or too deep`;
    }

    const headless = await em().execute<{ id: string }[]>(
      `select project.id from projects project
       join folders folder on folder.tenant_id = project.tenant_id and folder.id = project.root_folder_id
       where (project.deleted_at is null) <> (folder.deleted_at is null)
         or folder.project_id is distinct from project.id or folder.parent_id is not null`,
    );
    for (const { id } of headless) yield `project ${id} does not own its root folder`;
  },
};
