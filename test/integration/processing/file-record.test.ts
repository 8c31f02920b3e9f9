import { ownerOf } from '../../support/principals.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm, type Orm } from '../../../db/create-orm.ts';
import { ClaimedObject } from '../../../db/entities/uploads/claimed-object.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import type { Components } from '../../../domain/components.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { acceptUpload } from '../../../services/uploads/streaming/accept-upload.ts';
import { beginFileWork } from '../../../services/processing/start-file-work.ts';
import { claimObject } from '../../../services/uploads/claimed-objects.ts';
import { projectFile } from '../../../services/processing/end-file-run.ts';
import type { Principal } from '../../../services/accounts/principal.ts';

/** Creation and projection of a file's row, on a real Postgres; the object store is a fake. */
let orm: Orm;
let principal: Principal;
const removed: string[] = [];
const objects = {
  remove: async (keys: readonly string[]) => void removed.push(...keys),
} as unknown as Parameters<typeof acceptUpload>[0]['objects'];

before(async () => {
  orm = createOrm(readConfig([databaseConfig], process.env));
  const tenantId = randomUUID();
  await orm.em.fork().insert(Tenant, {
    id: tenantId,
    name: 'record',
    tier: 'enterprise',
    createdAt: new Date(),
  });
  principal = ownerOf(tenantId);
});
after(() => orm.close(true));

function incoming(sha256 = '0'.repeat(64), skipDuplicates = false) {
  const fileId = randomUUID();
  return {
    fileId,
    objectKey: `record/${fileId}`,
    sizeBytes: 1,
    sha256,
    mediaType: 'image' as const,
    contentType: 'image/png',
    format: 'png',
    filename: 'x.png',
    title: null,
    tags: [],
    contentCategory: 'general' as const,
    options: { autoDescribe: true, skipDuplicates },
  };
}

async function accept(file = incoming()) {
  await claimObject(orm.em.fork(), file.objectKey);
  return acceptUpload({ em: orm.em.fork(), objects }, principal, file);
}
const row = (id: string) => orm.em.fork().findOneOrFail(StoredFile, id);
const claims = (objectKey: string) => orm.em.fork().count(ClaimedObject, { objectKey });
const queued: Components = { variant: { status: 'queued' }, description: { status: 'pending' } };
const further: Components = { variant: { status: 'completed' }, description: { status: 'queued' } };

test('a late first write does not revert the row', async () => {
  const file = incoming();
  await accept(file);
  const [fileId, runId] = [file.fileId, randomUUID()];
  const target = { fileId, tenantId: principal.tenantId, generation: 1 };
  const begin = () => beginFileWork(orm.em.fork(), { ...target, components: queued }, runId);
  assert.equal((await begin())?.seq, 1);
  assert.ok(await projectFile(orm.em.fork(), { ...target, seq: 2, components: further }));
  assert.equal((await begin())?.seq, 2);
  const { components, primaryStatus, seq: now } = await row(fileId);
  assert.deepEqual(
    { components, primaryStatus, now },
    { components: further, primaryStatus: 'processing', now: 2 },
  );
});

test('another run of the same generation starts over, with a higher seq', async () => {
  const file = incoming();
  await accept(file);
  const target = { fileId: file.fileId, tenantId: principal.tenantId, generation: 1 };
  await beginFileWork(orm.em.fork(), { ...target, components: queued }, randomUUID());
  await projectFile(orm.em.fork(), { ...target, seq: 2, components: further });
  const begun = await beginFileWork(orm.em.fork(), { ...target, components: queued }, randomUUID());
  assert.equal(begun?.seq, 3);
  assert.deepEqual((await row(file.fileId)).components, queued);
});

test('inserting the row of a file deletes its claim', async () => {
  const file = incoming();
  assert.ok('created' in (await accept(file)));
  assert.equal(await claims(file.objectKey), 0);
});

test('a duplicate is removed with its claim', async () => {
  const sha = 'd'.repeat(64);
  const [first, second] = [incoming(sha), incoming(sha, true)];
  await accept(first);
  assert.ok('duplicateOf' in (await accept(second)));
  assert.ok(removed.includes(second.objectKey) && !removed.includes(first.objectKey));
  assert.equal(await claims(second.objectKey), 0);
});

/** A connection that fails before or after the commit. */
function breaking(when: 'before' | 'after') {
  const em = orm.em.fork();
  const transactional = em.transactional.bind(em);
  em.transactional = async (work: Parameters<typeof transactional>[0]) => {
    if (when === 'after') await transactional(work);
    throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
  };
  return em;
}

test('when only the response to the commit was lost, the file exists', async () => {
  const file = incoming();
  await claimObject(orm.em.fork(), file.objectKey);
  const outcome = await acceptUpload({ em: breaking('after'), objects }, principal, file);
  assert.ok('created' in outcome);
  assert.ok(!removed.includes(file.objectKey));
});

test('when it is unknown whether the row was written, the object and its claim are kept', async () => {
  const file = incoming();
  await claimObject(orm.em.fork(), file.objectKey);
  await assert.rejects(acceptUpload({ em: breaking('before'), objects }, principal, file), /terminated/);
  assert.ok(!removed.includes(file.objectKey));
  assert.equal(await claims(file.objectKey), 1);
});
