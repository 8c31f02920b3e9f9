import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { FileVariant } from '../../../db/entities/files/file-variant.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { seedFiles } from '../../../lab/bench/seed-files.ts';
import { listFiles } from '../../../services/files/list-files.ts';
import { readImageItems } from '../../../services/images/read-image.ts';

const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));

test('listed files and variants have the values of their entities, of every type of column', async () => {
  const em = orm.em.fork();
  const tenantId = randomUUID();
  await em.insert(Tenant, { id: tenantId, name: 'rows', tier: 'enterprise', createdAt: new Date() });
  await seedFiles(em, tenantId, 40);
  const list = () =>
    listFiles(orm.em.fork(), tenantId, {
      filter: { deleted: false },
      searchMode: 'all',
      sortOrder: 'desc',
      limit: 40,
      offset: 0,
      searchTimeoutMs: 10_000,
    });
  const [newest] = (await list()).files;
  assert.ok(newest);
  const values = {
    sizeBytes: 2 ** 40,
    tags: ['a,b', '"c"', ''],
    title: null,
    visibleText: 'null',
    contentCreatedAt: new Date('1969-07-20T20:17:40.123Z'),
  };
  await em.nativeUpdate(StoredFile, { id: newest.id }, values);
  const variant = {
    objectKey: 'a/ü "b"',
    contentType: 'image/jpeg',
    width: 1,
    height: 2,
    sizeBytes: 2 ** 31 - 1,
  };
  await em.insert(FileVariant, { fileId: newest.id, type: 'small_256', ...variant });

  const { files } = await list();
  const entities = await em.find(StoredFile, { tenantId }, { refresh: true });
  assert.equal(files.length, 40);
  assert.partialDeepStrictEqual(files[0], { id: newest.id, ...values });
  for (const file of files) assert.deepEqual({ ...file }, { ...entities.find(({ id }) => id === file.id) });
  const items = await readImageItems(orm.em.fork(), [newest.id]);
  const [entity] = await em.find(FileVariant, { fileId: newest.id });
  assert.deepEqual({ ...items.get(newest.id)?.variants[0] }, { ...entity });
});
