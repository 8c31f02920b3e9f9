import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { PartCopyUnsupported } from '../../../adapters/object-store/object-store.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { DirectUpload } from '../../../db/entities/uploads/direct-upload.ts';
import { UploadPart } from '../../../db/entities/uploads/upload-part.ts';
import { MAX_OPEN_UPLOADS } from '../../../domain/limits.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { findFileOrUpload, findFile } from '../../../services/files/find-file.ts';
import { confirmPart } from '../../../services/direct-uploads/confirm-part.ts';
import { createUpload, type PromisedFile } from '../../../services/direct-uploads/create-upload.ts';
import { endUpload } from '../../../services/direct-uploads/change-upload.ts';
import { findUpload } from '../../../services/direct-uploads/find-upload.ts';
import { verifyUpload } from '../../../services/direct-uploads/verify-upload.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { ingestImage } from '../../support/ingest-image.ts';

const config = readConfig([databaseConfig, s3Config, temporalConfig], process.env);
const orm = createOrm(config);
const objects = createS3ObjectStore(config);
const engine = createEngine(config);
after(async () => {
  await engine.close();
  await orm.close(true);
});

const em = () => orm.em.fork();
const promised: PromisedFile = {
  filename: 'a.png',
  contentType: 'image/png',
  mediaType: 'image',
  sizeBytes: 1,
  claimedSha256: '0'.repeat(64),
  title: null,
  tags: [],
  contentCategory: 'general',
  options: { autoDescribe: true, skipDuplicates: false },
};

async function newTenant(): Promise<string> {
  const id = randomUUID();
  await em().insert(Tenant, { id, name: 'uploads', tier: 'enterprise', createdAt: new Date() });
  return id;
}

const create = (tenantId: string, uploadId: string = randomUUID()) =>
  createUpload({ em: em(), objects }, { tenantId, uploadId }, promised, { mode: 'single_shot' }, 3600);

/** Copies of an open upload. */
async function multiply({ id }: DirectUpload, times: number): Promise<void> {
  const [all] = await em().execute<{ names: string }[]>(
    `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
     where table_name = 'upload_intents' and is_generated = 'NEVER'`,
  );
  await em().execute(
    `insert into upload_intents (${all?.names}) select ${all?.names} from (select copy.*
     from upload_intents i, generate_series(1, ?) n, jsonb_populate_record(i, jsonb_build_object(
       'id', gen_random_uuid(), 'file_id', gen_random_uuid(), 'signalled_at', now(), 'filename', n || '.png')) copy
     where i.id = ?) copies`,
    [times, id],
  );
}

test('open uploads are limited per tenant; ended ones and those of other tenants do not count', async () => {
  const [tenantId, other] = [await newTenant(), await newTenant()];
  const first = await create(tenantId);
  try {
    await multiply(first, MAX_OPEN_UPLOADS - 2);
    const last = await create(tenantId);
    const beyond = { code: 'TOO_MANY_UPLOADS', details: { retryAfterSeconds: 60 } };
    await assert.rejects(create(tenantId), beyond);
    assert.equal((await create(tenantId, last.id)).id, last.id);
    assert.equal((await create(other)).status, 'PENDING');

    const reason = { code: 'UPLOAD_ABORTED', message: 'enough' };
    await endUpload(em(), { tenantId, uploadId: first.id }, { type: 'aborted', reason });
    assert.equal((await create(tenantId)).status, 'PENDING');
    await assert.rejects(create(tenantId), beyond);
    // Years of uploads that have ended.
    await multiply(first, 3 * MAX_OPEN_UPLOADS);
    await assertCountedByIndex(tenantId);
  } finally {
    await em().nativeDelete(DirectUpload, { tenantId: { $in: [tenantId, other] } });
  }
});

async function assertCountedByIndex(tenantId: string): Promise<void> {
  await em().execute('analyze upload_intents');
  const plan = await em().execute<{ 'QUERY PLAN': string }[]>(
    `explain select 1 from upload_intents
     where tenant_id = ? and status in ('PENDING', 'UPLOADED') limit 1 offset ?`,
    [tenantId, MAX_OPEN_UPLOADS - 1],
  );
  assert.match(JSON.stringify(plan), /using upload_intents_open/);
}

test('if the store cannot copy parts, a mismatch requires all parts again and reports it', async () => {
  const tenantId = await newTenant();
  const target = { tenantId, uploadId: randomUUID() };
  const [partSizeBytes, last] = [5 * 1024 * 1024, 100];
  const file = { ...promised, sizeBytes: partSizeBytes + last };
  const plan = { mode: 'multipart', partSizeBytes, totalParts: 2 } as const;
  const { objectKey: key, storeUploadId } = await createUpload(
    { em: em(), objects },
    target,
    file,
    plan,
    3600,
  );
  const upload = { key, uploadId: storeUploadId ?? '' };
  for (const [partNumber, sizeBytes] of [
    [1, partSizeBytes],
    [2, last],
  ] as const) {
    const { etag } = await objects.uploadPart(upload, partNumber, Buffer.alloc(sizeBytes));
    await confirmPart(em(), target, { partNumber, sizeBytes, etag: etag.replaceAll('"', '') });
  }
  await em().nativeUpdate(DirectUpload, { id: target.uploadId }, { completeRequestedAt: new Date() });
  const incapable = { ...objects, copyPart: () => Promise.reject(new PartCopyUnsupported('501')) };
  const deps = { em: em(), objects: incapable, engine, detect: async () => 'image/png' };
  assert.equal(await verifyUpload(deps, target, new AbortController().signal), 'reopened');

  const reopened = await findUpload(em(), target);
  assert.deepEqual([reopened.status, reopened.error?.code], ['PENDING', 'HASH_MISMATCH']);
  assert.match(reopened.error?.message ?? '', /send and confirm all of them again/);
  assert.equal(await em().count(UploadPart, { uploadId: target.uploadId }), 0);
  assert.equal(reopened.objectKey, key);
  assert.notEqual(reopened.storeUploadId, storeUploadId);
});

test('a file that is committed during the lookup is found', async () => {
  const tenantId = await newTenant();
  const { id } = await create(tenantId);
  const file = await ingestImage(em(), tenantId);
  await em().nativeUpdate(StoredFile, { id: file.id }, { engineDueAt: null });
  await em().nativeUpdate(DirectUpload, { id }, { fileId: file.id, status: 'COMPLETED' });
  /** Finds the file only at the second lookup, as if it were committed after the first one. */
  const late = () => {
    const reader = em();
    const find = reader.find.bind(reader);
    let isFirst = true;
    reader.find = (async (...args: Parameters<typeof find>) => {
      const hidden = isFirst;
      isFirst = false;
      return hidden ? [] : find(...args);
    }) as typeof reader.find;
    return reader;
  };
  assert.equal((await findFile(late(), tenantId, file.id)).id, file.id);
  const found = await findFileOrUpload(late(), tenantId, file.id);
  assert.ok('file' in found && found.file.id === file.id);
  // A deleted file is unknown.
  await em().nativeUpdate(StoredFile, { id: file.id }, { deletedAt: new Date() });
  await assert.rejects(findFileOrUpload(em(), tenantId, file.id), { code: 'NOT_FOUND' });
});
