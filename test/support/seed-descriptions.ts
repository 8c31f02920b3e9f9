import type { Orm } from '../../db/create-orm.ts';

/** Of a statement, which has a time limit that a busy machine needs for more. */
const ROWS = 5_000;

/** Creates described files of a tenant, without objects; each description has about a kilobyte. */
export async function seedDescriptions(orm: Orm, tenantId: string, count: number): Promise<void> {
  const em = orm.em.fork();
  for (let first = 1; first <= count; first += ROWS) {
    await em.execute(
      `insert into files (id, tenant_id, media_type, content_type, format, filename, title, tags, content_category, size_bytes,
         sha256, object_key, options, generation, seq, components, primary_status, workflow_started_at, created_at, updated_at)
       select gen_random_uuid(), ?, 'image', 'image/png', 'png', n || '.png', 'File ' || n, '{}', 'general', 1,
         md5(n::text) || md5(n::text), 'none/' || n, '{}', 1, 1, '{"description": {"status": "completed"}}', 'completed',
         now(), now() - n * interval '1 second', now() from generate_series(?, ?) as n`,
      [tenantId, first, Math.min(count, first + ROWS - 1)],
    );
    await em.execute(
      `insert into file_descriptions (file_id, generation, provider, model, prompt_version, description, tags, input_tokens,
         output_tokens, created_at)
       select id, 1, 'local', 'test', 'none', title || repeat('.', 1000), '{}', 0, 0, created_at
       from files where tenant_id = ? and id not in (select file_id from file_descriptions)`,
      [tenantId],
    );
  }
}

/** Removes all files of a tenant, for audits that check the object of each file. */
export async function removeSeeded(orm: Orm, tenantId: string): Promise<void> {
  const em = orm.em.fork();
  for (;;) {
    const deleted: unknown[] = await em.execute(
      'delete from files where id in (select id from files where tenant_id = ? limit ?) returning 1',
      [tenantId, ROWS],
    );
    if (deleted.length === 0) return;
  }
}
