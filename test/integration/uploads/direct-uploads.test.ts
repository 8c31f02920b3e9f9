import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';
import { MAX_OPEN_UPLOADS } from '../../../domain/limits.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createUpload, type PromisedFile } from '../../../services/uploads/direct/create-upload.ts';
import { endUpload } from '../../../services/uploads/direct/end-upload.ts';

/** Thousands of direct uploads, which exist only as rows. */
const config = readConfig([databaseConfig, s3Config], process.env);
const orm = createOrm(config);
const objects = createS3ObjectStore(config);
after(() => orm.close(true));

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
const multiply = ({ id }: UploadIntent, times: number) =>
  em().execute(
    `insert into upload_intents select copy.*
     from upload_intents i, generate_series(1, ?) n, jsonb_populate_record(i, jsonb_build_object(
       'id', gen_random_uuid(), 'file_id', gen_random_uuid(), 'signalled_at', now(), 'filename', n || '.png')) copy
     where i.id = ?`,
    [times, id],
  );

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
    await em().nativeDelete(UploadIntent, { tenantId: { $in: [tenantId, other] } });
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
