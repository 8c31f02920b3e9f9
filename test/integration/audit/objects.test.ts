import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { s3Config } from '../../../adapters/object-store/config.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { PageImage } from '../../../db/entities/documents/page-image.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { VideoFrame } from '../../../db/entities/videos/video-frame.ts';
import { ClaimedObject } from '../../../db/entities/uploads/claimed-object.ts';
import { keyFrameKeys, originalKey, pageImageKey, variantKey } from '../../../domain/object-keys.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import type { AuditDeps } from '../../../services/audit/invariant.ts';
import { objects as invariant } from '../../../services/audit/objects.ts';
import { collect } from '../../support/collect.ts';
import { sharedRun } from '../../support/api.ts';
import { ingestImage } from '../../support/ingest-image.ts';
import { createOwnTenant, entityManagerFor } from '../../support/own-tenant.ts';

/** Invariant I2 while its tenant is busy. Other tests use the same bucket, so only this tenant's objects are listed. */
const orm = createOrm(readConfig([databaseConfig], process.env));
const objects = createS3ObjectStore(readConfig([s3Config], process.env));
const { tenantId } = await createOwnTenant(orm, sharedRun());
const own = entityManagerFor(orm, tenantId);
after(() => orm.close(true));

const put = async (key: string) => objects.put(key, Buffer.from('x'), { contentType: 'image/png' });

/** The row of a file that no worker touches. */
async function newFile(): Promise<string> {
  const { id } = await ingestImage(orm.em.fork(), tenantId);
  await orm.em.fork().nativeUpdate(StoredFile, { id }, { engineDueAt: null });
  return id;
}

const listOwn: ObjectStore['list'] = (prefix) => objects.list(`${prefix}${tenantId}/`);

/** The breaches of this tenant; `list` can act before or after the listing. */
async function breaches(list: ObjectStore['list'] = listOwn): Promise<string[]> {
  const deps = { em: () => own.fork(), objects: { ...objects, list } } as unknown as AuditDeps;
  return collect(invariant.check(deps));
}

test('the picture of a page has a row, and the row an object', async () => {
  const fileId = await newFile();
  const at = { pageNumber: 1, width: 320 };
  const [kept, lost, orphan] = ['a', 'b', 'c'].map((attempt) =>
    pageImageKey({ tenantId }, fileId, at, attempt),
  ) as [string, string, string];
  await put(kept);
  await put(orphan);
  const row = { fileId, ...at, contentType: 'image/jpeg', sizeBytes: 1, drawnAt: new Date() };
  await orm.em.fork().insert(PageImage, { ...row, objectKey: kept });
  await orm.em.fork().insert(PageImage, { ...row, width: 640, objectKey: lost });
  await orm.em.fork().insert(PageImage, { ...row, width: 960, objectKey: null });
  const found = (await breaches()).toSorted();
  assert.deepEqual(found, [`object ${orphan} is orphaned`, `page image ${lost} has no object`]);
  await objects.remove([kept, orphan]);
  await orm.em.fork().nativeDelete(PageImage, { fileId });
});

test('an object stored during the audit is not orphaned', async () => {
  const id = await newFile();
  const claimed = originalKey({ tenantId }, id, 'a');
  const found = await breaches(async function* (prefix) {
    await put(claimed);
    await orm.em.fork().insert(ClaimedObject, { objectKey: claimed, claimedAt: new Date() });
    yield* listOwn(prefix);
    // The claim becomes the row in one transaction.
    await orm.em.fork().transactional(async (tx) => {
      await tx.nativeDelete(ClaimedObject, { objectKey: claimed });
      await tx.nativeUpdate(StoredFile, { id }, { objectKey: claimed });
    });
  });
  assert.deepEqual(found, []);
});

test('an object removed after the listing is not orphaned', async () => {
  const key = originalKey({ tenantId }, randomUUID(), 'a');
  const found = await breaches(async function* (prefix) {
    await put(key);
    yield* listOwn(prefix);
    await objects.remove([key]);
  });
  assert.deepEqual(found, []);
});

test('a variant without a row is orphaned only once its file has ended', async () => {
  const id = await newFile();
  const key = variantKey({ tenantId }, id, 'small_256');
  await put(key);
  assert.deepEqual(await breaches(), []);
  await orm.em.fork().nativeUpdate(StoredFile, { id }, { primaryStatus: 'completed' });
  assert.deepEqual(await breaches(), [`object ${key} is orphaned`]);
  await objects.remove([key]);
});

test('a key frame without its object is reported', async () => {
  const fileId = await newFile();
  const keys = keyFrameKeys({ tenantId }, fileId, 1);
  await put(keys.objectKey);
  const frame = { blurHash: null, imageFacts: null, visibleText: null, updatedAt: new Date() };
  await orm.em.fork().insert(VideoFrame, { fileId, frameNumber: 1, timeSeconds: 0, ...keys, ...frame });
  assert.deepEqual(await breaches(), [`key frame ${keys.smallKey} has no object`]);
  await orm.em.fork().nativeDelete(VideoFrame, { fileId });
});
