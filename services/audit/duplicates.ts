import type { Invariant } from './invariant.ts';

export const duplicates: Invariant = {
  id: 'I3',
  title: 'one live file per content uploaded with skip_duplicates',
  async *check({ em }) {
    const twice = await em().execute<{ id: string; older: string }[]>(
      `select file.id, older.id as older from files file
       join files older on older.tenant_id = file.tenant_id and older.sha256 = file.sha256
         and older.id <> file.id and (older.created_at, older.id) < (file.created_at, file.id)
       where (file.options->>'skipDuplicates')::boolean and file.deleted_at is null and older.deleted_at is null`,
    );
    for (const { id, older } of twice)
      yield `file ${id} should have been skipped: same content as file ${older}`;
  },
};
