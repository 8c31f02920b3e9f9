import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '../../support/api.ts';
import { demoImage } from '../../support/images.ts';
import { own } from './stack.ts';

/** Loses the whole vector index and rebuilds it from Postgres and S3. */
const { stack } = own;
const { client } = await own.newTenant();

const ADMIN = fileURLToPath(new URL('../../../cli/admin/main.ts', import.meta.url));

test('an emptied index is reported, accepts new images, and is rebuilt by one command', async (t) => {
  const folder = stack.env['LANCEDB_PATH'];
  if (folder === undefined) return t.skip('the index is a server on this stack');
  const ids = await Promise.all(
    ['chelsea.jpg', 'coffee.jpg', 'rocket.jpg'].map((name) => client.ingest({ bytes: demoImage(name) })),
  );
  for (const id of ids) assert.equal((await client.settled(id)).primary_status, 'completed');
  const similar = (id = '') => client.get(`/files/${id}/similar`);
  assert.equal((await similar(ids[0])).body.total_count, 2);

  rmSync(folder, { recursive: true });
  const lost = await similar(ids[0]);
  assert.deepEqual([lost.status, lost.body.code], [409, 'NOT_INDEXED']);
  const late = await client.ingest({ bytes: demoImage('astronaut.webp') });
  assert.equal((await client.settled(late)).primary_status, 'completed');
  assert.equal((await similar(late)).body.total_count, 0);

  const env = { ...process.env, ...stack.env };
  const rebuild = (command: string) => promisify(execFile)(process.execPath, [ADMIN, command], { env });
  assert.match((await rebuild('rebuild-index')).stdout, /rebuild\/images/);
  // The index also contained the documents of other tests.
  assert.match((await rebuild('rebuild-chunks')).stdout, /rebuild\/chunks/);
  await eventually(async () => assert.equal((await similar(late)).body.total_count, 3));

  // A write that ends after the deletion of the folder leaves a list of files that are gone.
  for (const table of readdirSync(folder)) {
    const kept = join(folder, '..', `kept-${table}`);
    cpSync(join(folder, table, '_versions'), kept, { recursive: true });
    rmSync(join(folder, table), { recursive: true });
    cpSync(kept, join(folder, table, '_versions'), { recursive: true });
  }
  assert.equal((await similar(late)).status, 503);
  assert.match((await rebuild('rebuild-index')).stdout, /rebuild\/images/);
  assert.match((await rebuild('rebuild-chunks')).stdout, /rebuild\/chunks/);
  await eventually(async () => assert.equal((await similar(late)).body.total_count, 3), 60);
  return undefined;
});
