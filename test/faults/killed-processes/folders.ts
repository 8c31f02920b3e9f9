import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seedFiles } from '../../../lab/bench/seed-files.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { Folder } from '../../../db/entities/folders/folder.ts';
import { eventually } from '../../support/api.ts';
import { own } from './stack.ts';

/** Deletion of a folder during which the API is killed. */
const { stack, orm } = own;
const { client, tenantId } = await own.newTenant();
const em = () => orm.em.fork();

test('the deletion of a large folder completes without another request after its API is killed midway', async () => {
  const { body: folder } = await client.post('/folders', { name: 'large' });
  await seedFiles(em(), tenantId, 400);
  const place = { folderId: folder.id as string, describedAt: null, workflowStartedAt: null };
  await em().nativeUpdate(StoredFile, { tenantId }, place);
  const live = () => em().count(StoredFile, { tenantId, deletedAt: null });

  const cut = client.delete(`/folders/${folder.id}?recursive=true`).catch(() => 'cut');
  await eventually(async () => assert.ok((await live()) < 400));
  await stack.kill('api');
  assert.equal(await cut, 'cut');
  assert.ok((await live()) > 0, 'the API was not killed midway');
  await stack.start('api');

  assert.equal((await client.get(`/folders/${folder.id}`)).status, 404);
  await eventually(async () => assert.equal(await live(), 0), 90);
  await eventually(async () =>
    assert.equal((await em().findOneOrFail(Folder, { tenantId, id: folder.id })).emptyDueAt, null),
  );
  assert.equal((await client.get('/files?deleted=true&limit=1')).body.total_count, 400);
  // The final audit expects an object for every file, and these files have none.
  await em().nativeDelete(StoredFile, { tenantId });
});
