import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ImageEmbedding } from '../../../adapters/models/image-embedding/image-embedding.ts';
import { ModelError } from '../../../adapters/models/model-error.ts';
import { LOCAL_IMAGE_MODEL } from '../../../adapters/models/image-embedding/local-embedding.ts';
import { ObjectNotFound, ObjectTooLarge } from '../../../adapters/object-store/object-store.ts';
import { createLanceDbIndex } from '../../../adapters/vector-index/lancedb-index.ts';
import type { VectorIndex } from '../../../adapters/vector-index/vector-index.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { classifyImageIndexFailure } from '../../../activities/classify-failures.ts';
import { FileVariant } from '../../../db/entities/files/file-variant.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { FileGone } from '../../../services/processing/file-target.ts';
import { findSimilar } from '../../../services/images/find-similar.ts';
import { imageCollection } from '../../../services/images/served-images.ts';
import { indexImage, indexImages, rebuildImagePage } from '../../../services/images/index-images.ts';
import { ingestImage } from '../../support/ingest-image.ts';

/** The services that use the index, on a real Postgres and a real LanceDB; objects and embeddings are fakes. */
let orm: Orm;
let vectors: VectorIndex;
const folder = mkdtempSync(join(tmpdir(), 'darkroom-similar-'));

before(() => {
  orm = createOrm(readConfig([databaseConfig], process.env));
  vectors = createLanceDbIndex({ path: folder, ...imageCollection(LOCAL_IMAGE_MODEL) });
});
after(async () => {
  await vectors.close();
  await orm.close(true);
  rmSync(folder, { recursive: true, force: true });
});

/** Gives all images equal embeddings, so that only their rows differ; none to unreadable ones, and refuses calls with others. */
const embedding: ImageEmbedding = {
  ...LOCAL_IMAGE_MODEL,
  variant: 'small_256',
  isFast: true,
  async embed(images) {
    const isRefused = images.some((image) => String(image) === 'refused');
    if (isRefused) throw new ModelError('MODEL_REFUSED', 'the model endpoint answered 422');
    return images.map((image) =>
      image.length === 0
        ? null
        : Array.from({ length: LOCAL_IMAGE_MODEL.dimension }, (_, i) => (i === 0 ? 1 : 0.01)),
    );
  },
  close: () => Promise.resolve(),
};
/** Missing, unreadable, refused and too large objects by their keys, and a callback during a read. */
const gone = new Set<string>();
const damaged = new Set<string>();
const refused = new Set<string>();
const large = new Set<string>();
let whileReading = async () => undefined as unknown;
const objects = {
  async read(key: string) {
    await whileReading();
    if (gone.has(key)) throw new ObjectNotFound(key);
    if (large.has(key)) throw new ObjectTooLarge(key, 1);
    if (refused.has(key)) return Buffer.from('refused');
    return Buffer.from(damaged.has(key) ? '' : 'image');
  },
} as unknown as Parameters<typeof indexImages>[0]['objects'];
const { signal } = new AbortController();
const deps = () => ({ em: orm.em.fork(), objects, embedding, vectors });

async function newTenant(): Promise<string> {
  const em = orm.em.fork();
  const id = randomUUID();
  await em.insert(Tenant, { id, name: 'similar', tier: 'enterprise', createdAt: new Date() });
  return id;
}

/** A described image with a variant, just before its run ends. */
async function newImage(tenantId: string): Promise<StoredFile> {
  const em = orm.em.fork();
  const file = await ingestImage(em, tenantId);
  const { id: fileId } = file;
  await em.nativeUpdate(
    StoredFile,
    { id: fileId },
    {
      describedAt: new Date(),
      primaryStatus: 'processing',
      workflowStartedAt: new Date(),
      components: { variant: { status: 'completed' }, description: { status: 'completed' } },
    },
  );
  await em.insert(FileVariant, {
    fileId,
    type: 'small_256',
    objectKey: `${fileId}/small`,
    contentType: 'image/jpeg',
    width: 1,
    height: 1,
    sizeBytes: 1,
  });
  return em.refreshOrFail(file);
}

const similarTo = async (file: StoredFile, limit = 20) =>
  (await findSimilar({ em: orm.em.fork(), embedding, vectors }, file, limit)).map((found) => found.file.id);
const remove = (file: StoredFile) =>
  orm.em.fork().nativeUpdate(StoredFile, { id: file.id }, { deletedAt: new Date() });

test('the image itself, deleted files and files of other tenants are never in the results', async () => {
  const [tenant, other] = [await newTenant(), await newTenant()];
  const [file, twin, deleted] = [await newImage(tenant), await newImage(tenant), await newImage(tenant)];
  const foreign = await newImage(other);
  assert.equal(await indexImages(deps(), [file, twin, deleted, foreign], signal), 4);
  assert.deepEqual((await similarTo(file)).toSorted(), [twin.id, deleted.id].toSorted());
  // Its vector is left behind, as after a crash between the row and the index.
  await remove(deleted);
  assert.deepEqual(await similarTo(file), [twin.id]);
  assert.equal(await vectors.count({ tenantId: tenant }), 3);
});

test('indexing again replaces the vector', async () => {
  const tenant = await newTenant();
  const file = await newImage(tenant);
  for (let time = 0; time < 3; time++) {
    await indexImage(deps(), { fileId: file.id, tenantId: tenant, generation: 1 }, signal);
  }
  assert.equal(await vectors.count({ tenantId: tenant }), 1);
});

test('an image that cannot be read or is refused fails for good, with a reason', async () => {
  const tenant = await newTenant();
  const expected = [
    [damaged, 'IMAGE_UNREADABLE'],
    [large, 'IMAGE_TOO_LARGE'],
    [refused, 'MODEL_REFUSED'],
  ] as const;
  for (const [kind, code] of expected) {
    const file = await newImage(tenant);
    kind.add(`${file.id}/small`);
    const indexing = indexImage(deps(), { fileId: file.id, tenantId: tenant, generation: 1 }, signal);
    const error: unknown = await indexing.catch((thrown: unknown) => thrown);
    const { kind: outcome, code: reason } = classifyImageIndexFailure(error) ?? assert.fail(String(error));
    assert.deepEqual([outcome, reason], ['permanent', code]);
  }
});

test('a file that is deleted while it is indexed leaves no vector', async () => {
  const tenant = await newTenant();
  const file = await newImage(tenant);
  whileReading = () => remove(file);
  const indexing = indexImage(deps(), { fileId: file.id, tenantId: tenant, generation: 1 }, signal);
  await assert.rejects(indexing, FileGone);
  whileReading = async () => undefined;
  assert.equal(await vectors.count({ tenantId: tenant }), 0);
});

test('an image that is not indexed is distinguished from one without similar images', async () => {
  const tenant = await newTenant();
  const file = await newImage(tenant);
  await assert.rejects(similarTo(file), { code: 'NOT_INDEXED', message: /description.* is completed/ });
  await indexImages(deps(), [file], signal);
  assert.deepEqual(await similarTo(file), []);
});

test('a file that is not an image has no similar images', async () => {
  const file = { ...(await newImage(await newTenant())), mediaType: 'document' } as StoredFile;
  await assert.rejects(similarTo(file), { code: 'WRONG_MEDIA_TYPE' });
});

test('a rebuild indexes every live image, page by page, and leaves out those that cannot be read or are refused', async () => {
  const tenant = await newTenant();
  const files: StoredFile[] = [];
  for (let i = 0; i < 60; i++) files.push(await newImage(tenant));
  const [deleted, missing, forged, huge, unwanted] = files;
  assert.ok(deleted && missing && forged && huge && unwanted);
  await remove(deleted);
  gone.add(`${missing.id}/small`);
  damaged.add(`${forged.id}/small`);
  large.add(`${huge.id}/small`);
  refused.add(`${unwanted.id}/small`);
  const reasons = new Map<string, string>();
  let pages = 0;
  for (let after: string | undefined, done = false; !done; pages += 1) {
    const page = await rebuildImagePage(deps(), after, signal);
    for (const { fileId, reason } of page.leftOut) reasons.set(fileId, reason);
    after = page.after;
    done = after === undefined;
  }
  assert.ok(pages >= 2, `${pages} pages`);
  assert.equal(await vectors.count({ tenantId: tenant }), 55);
  for (const { id } of [missing, forged, huge, unwanted]) assert.ok(reasons.get(id), `${id} has a reason`);
  assert.equal(reasons.get(unwanted.id), 'the model endpoint answered 422');
});
