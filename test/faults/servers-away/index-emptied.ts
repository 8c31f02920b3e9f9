import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '../../support/api.ts';
import { manual } from '../../support/documents.ts';
import { demoPicture } from '../../support/pictures.ts';
import { own } from './stack.ts';

/** Loses the whole vector index, and rebuilds it from Postgres and S3. */
const { stack, orm } = own;
const { client } = await own.newTenant();

const ADMIN = fileURLToPath(new URL('../../../cli/admin/main.ts', import.meta.url));

const env = { ...process.env, ...stack.env };
const rebuild = (command: string) => promisify(execFile)(process.execPath, [ADMIN, command], { env });

test('a document whose digitization has failed is digitized again by rebuild-chunks', async () => {
  const failed = await client.ingest({ bytes: manual, filename: 'manual.md' });
  assert.equal((await client.settled(failed)).primary_status, 'completed');
  await orm.em.fork().execute(
    `update files set primary_status = 'partially_completed', components = jsonb_set(components, '{digitization}',
       components -> 'digitization' || '{"status": "failed", "error": {"code": "LOST", "message": "lost"}}') where id = ?`,
    [failed],
  );
  assert.match((await rebuild('rebuild-chunks')).stdout, /rebuild\/chunks/);
  // Only its workflow can tell that it is completed, so that one runs again.
  await eventually(async () => {
    const { body } = await client.get(`/files/${failed}/processing-status`);
    assert.equal(body.components.digitization.status, 'completed');
  }, 60);
});

test('an emptied index is reported as such, accepts new pictures, and is rebuilt by one command', async (t) => {
  const folder = stack.env['LANCEDB_PATH'];
  if (folder === undefined) return t.skip('the index is a server here');
  const ids = await Promise.all(
    ['chelsea.jpg', 'coffee.jpg', 'rocket.jpg'].map((name) => client.ingest({ bytes: demoPicture(name) })),
  );
  for (const id of ids) assert.equal((await client.settled(id)).primary_status, 'completed');
  const similar = (id = '') => client.get(`/files/${id}/similar`);
  assert.equal((await similar(ids[0])).body.total_count, 2);

  rmSync(folder, { recursive: true });
  const lost = await similar(ids[0]);
  assert.deepEqual([lost.status, lost.body.code], [409, 'NOT_INDEXED']);
  const late = await client.ingest({ bytes: demoPicture('astronaut.webp') });
  assert.equal((await client.settled(late)).primary_status, 'completed');
  assert.equal((await similar(late)).body.total_count, 0);

  assert.match((await rebuild('rebuild-index')).stdout, /rebuild\/images/);
  // The documents of other tests were in it as well.
  assert.match((await rebuild('rebuild-chunks')).stdout, /rebuild\/chunks/);
  await eventually(async () => assert.equal((await similar(late)).body.total_count, 3));
  return undefined;
});
