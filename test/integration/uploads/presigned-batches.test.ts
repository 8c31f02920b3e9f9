import { ownerOf } from '../../support/principals.ts';
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { CreditBalance } from '../../../db/entities/accounts/credit-balance.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { DirectUpload } from '../../../db/entities/uploads/direct-upload.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import { creditMonth } from '../../../domain/accounts/credits.ts';
import { TIER_LIMITS } from '../../../domain/accounts/tiers.ts';
import { EXPIRED } from '../../../domain/uploads/direct-upload.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { endUpload, signalUploadEnd } from '../../../services/direct-uploads/change-upload.ts';
import { openUploadSession } from '../../../services/upload-sessions/open-upload-session.ts';
import { prepareBatch, type PrepareDeps } from '../../../services/legacy-batches/prepare-batch.ts';
import { createUploadMemory } from '../../../services/uploads/streaming/upload-memory.ts';
import { createEngine } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { createClient, sharedRun, type Json } from '../../support/api.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { quarters } from '../../support/sample-images.ts';

/** Timeouts of half an hour or more; the rows are backdated instead of waiting. */
const run = sharedRun();
// A separate tenant, whose batches no other test counts or cleans up.
const client = createClient(run, run.tenants.starter.api_key);
const config = readConfig([databaseConfig, temporalConfig], process.env);
const orm = createOrm(config);
const engine = createEngine(config);
after(async () => {
  await engine.close();
  await orm.close(true);
});

const MINUTE_MS = 60_000;

async function prepare(): Promise<{ id: string; url: Json; bytes: Buffer<ArrayBuffer> }> {
  const bytes = Buffer.concat([await quarters().png().toBuffer(), randomBytes(16)]);
  const files = [{ filename: 'old.png', content_type: 'image/png', size_bytes: bytes.length }];
  const { status, body } = await client.post('/uploads/batch-prepare', { files });
  assert.equal(status, 200, JSON.stringify(body));
  return { id: body.batch_id, url: body.presigned_urls[0], bytes };
}
const change = (id: string, fields: Partial<UploadSession>) =>
  orm.em.fork().nativeUpdate(UploadSession, { id }, fields);
const makeOlder = (id: string, minutes: number) =>
  change(id, { createdAt: new Date(Date.now() - minutes * MINUTE_MS) });
const statusOf = async (id: string): Promise<string> =>
  (await client.get(`/uploads/sessions/${id}/status`)).body.status;
const confirm = ({ id, url }: { id: string; url: Json }) =>
  client.post('/uploads/batch-confirm', {
    batch_id: id,
    confirmations: [{ object_key: url.object_key, success: true }],
  });
/** Only in the row: no other test uses this tenant. */
async function foreignBatch(): Promise<UploadSession> {
  const tenantId = randomUUID();
  const em = orm.em.fork();
  await em.insert(Tenant, { id: tenantId, name: 'foreign', tier: 'starter', createdAt: new Date() });
  const principal = ownerOf(tenantId, 'starter');
  return openUploadSession(em, principal, { sessionId: randomUUID(), uploadMethod: 'presigned' });
}
async function put({ url, bytes }: { url: Json; bytes: Buffer<ArrayBuffer> }): Promise<void> {
  const answer = await fetch(url.upload_url, { method: 'PUT', headers: url.upload_headers, body: bytes });
  await answer.body?.cancel();
  assert.equal(answer.status, 200);
}

test('batches without a confirmation for half an hour expire, only those of this tenant', async () => {
  const [stale, young, confirmed] = [await prepare(), await prepare(), await prepare()];
  const foreign = await foreignBatch();
  for (const { id } of [stale, confirmed, foreign]) await makeOlder(id, 31);
  await makeOlder(young.id, 29);
  await change(confirmed.id, { confirmedAt: new Date() });
  await put(stale);

  const { body } = await client.post('/uploads/cleanup-stale-batches', {});
  assert.deepEqual(body, { cleaned_count: 1, message: '1 batch expired' });
  const states = await Promise.all([stale, young, confirmed].map(({ id }) => statusOf(id)));
  assert.deepEqual(states, ['expired', 'pending', 'pending']);
  const { status } = await orm.em.fork().findOneOrFail(UploadSession, { id: foreign.id });
  assert.equal(status, 'pending');
  assert.equal((await confirm(stale)).body.processing_status, 'already_processed');
  const upload = await client.get(`/uploads/status/${stale.url.image_id}`);
  assert.equal(upload.body.unified_status, 'failed');
  assert.equal((await client.post('/uploads/cleanup-stale-batches', {})).body.cleaned_count, 0);
});

test('a client may resume its batch for two hours, long after its URLs have expired', async () => {
  const [late, tooLate] = [await prepare(), await prepare()];
  await put(late);
  await makeOlder(late.id, 119);
  await makeOlder(tooLate.id, 121);
  const { batches } = (await client.get('/uploads/pending-batches')).body;
  const [listed] = batches.filter((entry: Json) => entry.batch_id === late.id);
  assert.ok(Math.abs(listed.age_seconds - 119 * 60) < 30);
  assert.ok(!batches.some((entry: Json) => entry.batch_id === tooLate.id));
  const { body } = await client.post(`/uploads/batch/${late.id}/auto-recover`, {});
  assert.deepEqual([body.status, body.recovered_files], ['recovered', 1]);
  assert.equal((await client.sessionEnded(late.id)).status, 'completed');
});

test('a second confirmation is refused during the first, unless the first one died', async () => {
  const batch = await prepare();
  await put(batch);
  await change(batch.id, { confirmingUntil: new Date(Date.now() + MINUTE_MS) });
  const busy = await confirm(batch);
  assert.deepEqual([busy.status, busy.body.code], [409, 'CONFIRMATION_IN_PROGRESS']);
  assert.ok(Number(busy.headers.get('retry-after')) > 0);
  assert.equal((await client.post(`/uploads/batch/${batch.id}/auto-recover`, {})).status, 409);
  await change(batch.id, { confirmingUntil: new Date(Date.now() - 1000) });
  assert.equal((await confirm(batch)).body.processing_status, 'queued');
  assert.equal((await client.sessionEnded(batch.id)).completed_files, 1);
  const row = await orm.em.fork().findOneOrFail(UploadSession, { id: batch.id });
  assert.equal(row.confirmingUntil, null);
});

test('a batch whose uploads have all expired is expired, not waiting', async () => {
  const batch = await prepare();
  const em = orm.em.fork();
  const intent = await em.findOneOrFail(DirectUpload, { sessionId: batch.id });
  const target = { uploadId: intent.id, tenantId: intent.tenantId };
  await endUpload(orm.em.fork(), target, { type: 'expired', reason: EXPIRED });
  await signalUploadEnd({ em: orm.em.fork(), engine }, intent);
  const session = await client.sessionEnded(batch.id);
  assert.deepEqual([session.status, session.failed_files, session.pending_files], ['expired', 1, 0]);
});

test('a batch needs credits for all of its files', async () => {
  const tenantId = randomUUID();
  const em = orm.em.fork();
  await em.insert(Tenant, { id: tenantId, name: 'spent', tier: 'starter', createdAt: new Date() });
  const used = TIER_LIMITS.starter.creditsPerMonth - 1;
  await em.insert(CreditBalance, { tenantId, month: creditMonth(new Date()), used });
  const uploadMemory = createUploadMemory({ globalBytes: 10_000_000, tenantBytes: 10_000_000 });
  const deps = { em: orm.em.fork(), engine, uploadMemory } as PrepareDeps;
  const principal = ownerOf(tenantId, 'starter');
  const file = {
    filename: 'a.png',
    contentType: 'image/png',
    mediaType: 'image',
    sizeBytes: 1,
    claimedSha256: null,
    title: null,
    tags: [],
    contentCategory: 'general',
    options: { autoDescribe: true, skipDuplicates: false },
  } as const;
  const files = [
    { ...file, tags: [] },
    { ...file, tags: [] },
  ];
  await assert.rejects(prepareBatch(deps, principal, randomUUID(), files), { code: 'QUOTA_EXHAUSTED' });
  const batchId = randomUUID();
  const first = await prepareBatch(deps, principal, batchId, files.slice(1));
  // A repeat after a crash finds the uploads that the first attempt created.
  const again = await prepareBatch({ ...deps, em: orm.em.fork() }, principal, batchId, files.slice(1));
  assert.deepEqual(
    again.uploads.map(({ id }) => id),
    first.uploads.map(({ id }) => id),
  );
});

test('a streamed batch without credits for any file gets 429 until there are credits', async () => {
  const own = await createOwnTenant(orm, run);
  const em = orm.em.fork();
  await em.nativeUpdate(Tenant, { id: own.tenantId }, { tier: 'starter' });
  const month = creditMonth(new Date());
  const used = TIER_LIMITS.starter.creditsPerMonth;
  await em.insert(CreditBalance, { tenantId: own.tenantId, month, used });
  const bytes = await quarters().png().toBuffer();
  const [image, script] = [{ bytes }, { bytes: Buffer.from('#!/bin/sh') }];
  const refused = await own.client.batch([image, script]);
  assert.deepEqual(
    [refused.status, refused.body.code],
    [429, 'QUOTA_EXHAUSTED'],
    JSON.stringify(refused.body),
  );
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.deepEqual(
    refused.body.errors.map(({ pointer }: Json) => pointer),
    ['/form/files/0', '/form/files/1'],
  );
  // Files without cost are accepted, and a batch that fails for other reasons is answered file by file.
  const free = await own.client.batch([image], { auto_describe: 'false' });
  assert.deepEqual([free.status, free.body.accepted_files], [201, 1]);
  assert.equal((await own.client.batch([script])).status, 201);
  await em.nativeUpdate(CreditBalance, { tenantId: own.tenantId, month }, { used: used - 1 });
  const some = await own.client.batch([image, image]);
  assert.deepEqual([some.status, some.body.accepted_files, some.body.rejected_files], [201, 1, 1]);
});
