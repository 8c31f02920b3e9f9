import type { EntityManager } from '@mikro-orm/postgresql';

/** Records the number of vectors of a deleted file before they are removed; the highest count wins. */
export async function noteVectors(em: EntityManager, fileId: string, vectors: number): Promise<void> {
  if (vectors === 0) return;
  // Under the row lock, so that no record is left for a file that is being restored.
  await em.execute(
    `with trashed as (select id from files where id = ? and deleted_at is not null for update)
     insert into file_removals as noted (file_id, began_at, object_keys, vectors)
     select id, null, '{}', ? from trashed
     on conflict (file_id) do update set vectors = greatest(noted.vectors, excluded.vectors)`,
    [fileId, vectors],
  );
}
