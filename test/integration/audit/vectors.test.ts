import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type { VectorIndex } from '../../../adapters/vector-index/vector-index.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import type { AuditDeps } from '../../../services/audit/invariant.ts';
import { vectors as invariant } from '../../../services/audit/vectors.ts';
import { sharedRun } from '../../support/api.ts';
import { collect } from '../../support/collect.ts';
import { ingestImage } from '../../support/ingest-image.ts';
import { createOwnTenant, entityManagerFor } from '../../support/own-tenant.ts';

/** Invariant I7 while its tenant is busy, with an index that holds the vectors of the given files. */
const orm = createOrm(readConfig([databaseConfig], process.env));
const { tenantId } = await createOwnTenant(orm, sharedRun());
const own = entityManagerFor(orm, tenantId);
after(() => orm.close(true));
/** Before the audit begins, but too recent for the sweep of this stack to check the run of an open file. */
const EARLIER = new Date(Date.now() - 60_000);

/** The row of a file that no worker touches. */
async function newFile(): Promise<StoredFile> {
  const file = await ingestImage(orm.em.fork(), tenantId);
  await orm.em.fork().nativeUpdate(StoredFile, { id: file.id }, { engineDueAt: null, updatedAt: EARLIER });
  return file;
}

async function describe({ id, components }: StoredFile): Promise<void> {
  const { description } = components;
  assert.ok(description);
  await orm.em.fork().nativeUpdate(
    StoredFile,
    { id },
    {
      describedAt: EARLIER,
      primaryStatus: 'completed',
      components: { ...components, description: { ...description, status: 'completed' } },
    },
  );
}

async function breaches(fileIds: readonly string[], chunksOf: readonly string[] = []): Promise<string[]> {
  const indexOf = (stored: readonly string[]): Pick<VectorIndex, 'findMany' | 'count'> => ({
    findMany: async ({ ids }) => new Map(ids.map((id) => [id, [1]])),
    count: async (scope) =>
      scope?.tenantId === tenantId ? stored.filter((id) => scope.fileIds?.includes(id) ?? true).length : 0,
  });
  const [vectors, chunkVectors] = [indexOf(fileIds), indexOf(chunksOf)];
  const deps = { em: () => own.fork(), vectors, chunkVectors } as unknown as AuditDeps;
  return collect(invariant.check(deps));
}

test('a vector is excess unless its file is described, in progress, or changed during the audit', async () => {
  const [described, open, deleted] = [await newFile(), await newFile(), await newFile()];
  await describe(described);
  await describe(deleted);
  const changeAt = (deletedAt: Date) =>
    orm.em.fork().nativeUpdate(StoredFile, { id: deleted.id }, { deletedAt });
  const ids = [described.id, open.id, deleted.id];
  // As if deleted after the audit had begun.
  await changeAt(new Date(Date.now() + 60_000));
  assert.deepEqual(await breaches(ids), []);
  const tooMany = `tenant ${tenantId} has 4 vectors for 1 described images`;
  assert.deepEqual(await breaches([...ids, randomUUID()]), [tooMany]);
  await changeAt(EARLIER);
  assert.equal((await breaches(ids)).length, 1);
});

/** A document that no worker touches, with a chunk. */
async function newDocument(status: 'failed' | 'queued'): Promise<string> {
  const { id } = await newFile();
  const em = orm.em.fork();
  await em.nativeUpdate(
    StoredFile,
    { id },
    {
      mediaType: 'document',
      contentType: 'text/plain',
      format: 'txt',
      primaryStatus: status === 'failed' ? 'partially_completed' : 'processing',
      components: { text_extraction: { status: 'completed' }, digitization: { status } },
    },
  );
  await em.execute(
    `insert into document_details (file_id, page_count, profile, stale_chunks) values (?, 1, '{}', '{}')`,
    [id],
  );
  await em.execute(
    `insert into document_chunks (id, file_id, tenant_id, chunk_index, content, page_numbers, heading_path,
       token_count, chunk_type, dictionary, embedding_status, collection, search)
     values (gen_random_uuid(), ?, ?, 0, 'x', '{1}', '{}', 1, 'text', 'simple', 'completed', 'c', to_tsvector('x'))`,
    [id, tenantId],
  );
  return id;
}

test('vectors of chunks are allowed before a document is digitized and after that failed', async () => {
  const [open, failed] = [await newDocument('queued'), await newDocument('failed')];
  assert.deepEqual(await breaches([], [open, failed]), []);
  // An attempt has written a vector whose chunk has been replaced since.
  assert.deepEqual(await breaches([], [open, open, failed]), []);
  const tooMany = `tenant ${tenantId} has 3 vectors for 2 chunks`;
  assert.deepEqual(await breaches([], [open, failed, failed]), []);
  assert.deepEqual(await breaches([], [failed, failed, failed]), [tooMany]);
});
