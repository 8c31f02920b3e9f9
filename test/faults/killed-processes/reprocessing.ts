import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/api.ts';
import { uniqueImage } from '../../support/images.ts';
import { own } from './stack.ts';

const FILES = 20;

/** Workers killed while files are processed again. */
const { stack, orm } = own;

test('files of a reprocessing whose workers are killed again and again are each processed once', async () => {
  const { client, ingest } = await own.newTenant();
  const ids: string[] = [];
  for (let at = 0; at < FILES; at++) ids.push(await ingest(await uniqueImage()));
  for (const id of ids) await client.settled(id, 120);
  const { body: begun } = await client.post('/reprocessing', {
    filter: { ids },
    components: ['description'],
    reason: 'a new model',
    // One file each five seconds, so that each kill is in the middle.
    files_per_minute: 12,
  });
  const id = begun.reprocessing_id as string;
  const opened = async () => {
    const rows = await orm.em
      .fork()
      .execute<{ count: number }[]>(
        'select count(*)::int as count from reprocessing_files where reprocessing_id = ?',
        [id],
      );
    return rows[0]?.count ?? 0;
  };
  for (const [kill, name] of (['worker', 'worker', 'worker-cpu'] as const).entries()) {
    await eventually(async () => assert.ok((await opened()) > kill * 4), 120);
    assert.ok((await opened()) < FILES, 'all files had begun before the last kill');
    await stack.kill(name);
    await stack.start(name);
  }
  const done = await eventually(async () => {
    const { body } = await client.get(`/reprocessing/${id}`);
    assert.equal(body.status, 'completed', JSON.stringify(body));
    return body;
  }, 240);
  assert.deepEqual(done.progress, { processing: 0, completed: FILES, failed: 0, skipped: 0, percent: 100 });
  const facts = await orm.em.fork().execute(
    `select count(*)::int as files, min(generation) as least, max(generation) as most,
       (select count(*)::int from file_descriptions d where d.file_id = any (?::uuid[])) as descriptions,
       (select count(*)::int from credit_entries e where e.reservation_id like 'file/%/2' and not e.closes
          and split_part(e.reservation_id, '/', 2) = any (?::text[])) as reservations
     from files where id = any (?::uuid[])`,
    Array.from({ length: 3 }, () => `{${ids.join(',')}}`),
  );
  assert.deepEqual(facts, [
    { files: FILES, least: 2, most: 2, descriptions: 2 * FILES, reservations: FILES },
  ]);
});
