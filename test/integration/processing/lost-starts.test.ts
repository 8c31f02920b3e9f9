import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { s3Config } from '../../../adapters/object-store/config.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { waitForDocument } from '../../../services/documents/document-target.ts';
import { waitForAnalysis } from '../../../services/images/wait-for-analysis.ts';
import { startFileWork } from '../../../services/processing/start-file-work.ts';
import { extractionWork } from '../../../services/structured-extraction/extraction-work.ts';
import { requestExtraction } from '../../../services/structured-extraction/request-extraction.ts';
import { ingestFile, type IncomingFile } from '../../../services/uploads/ingest-file.ts';
import { createEngine, EngineUnavailable, type WorkIds } from '../../../temporal/client.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { sharedRun } from '../../support/api.ts';
import { invoiceDocument } from '../../support/invoices.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { uniqueImage } from '../../support/images.ts';
import { ownerOf } from '../../support/principals.ts';

/** Work accepted while the engine was unavailable: a request that waits for it starts it, long before the sweep does. */
const config = readConfig([databaseConfig, s3Config, temporalConfig], process.env);
const orm = createOrm(config);
const engine = createEngine(config);
const objects = createS3ObjectStore(config);
after(async () => {
  await engine.close();
  await orm.close(true);
});

/** An unavailable engine, and the work ids that were reported as unreached. */
function engineAway() {
  const unreached: WorkIds[] = [];
  const within = () => Promise.reject(new EngineUnavailable('away'));
  return {
    away: { ...engine, within, reportUnreached: (_: Error, ids: WorkIds) => unreached.push(ids) },
    unreached,
  };
}

/** A stored file whose start did not reach the engine. */
async function unstarted(bytes: Buffer, given: Pick<IncomingFile, 'mediaType' | 'contentType' | 'format'>) {
  const { tenantId } = await createOwnTenant(orm, sharedRun());
  const em = orm.em.fork();
  const fileId = randomUUID();
  await objects.put(fileId, bytes, given);
  const outcome = await ingestFile(em, ownerOf(tenantId), {
    ...given,
    fileId,
    objectKey: fileId,
    sizeBytes: bytes.byteLength,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    filename: `lost.${given.format}`,
    title: null,
    tags: [],
    contentCategory: 'general',
    options: { autoDescribe: true, skipDuplicates: false },
  });
  assert.ok('created' in outcome);
  const { away, unreached } = engineAway();
  assert.equal(await startFileWork({ em, engine: away }, outcome.created, 'interactive'), false);
  assert.deepEqual(unreached, [{ tenant_id: tenantId, file_id: fileId }]);
  return { em, file: outcome.created };
}

test('a request that waits for an analysis of an image starts it if the engine missed it', async () => {
  const image = await uniqueImage();
  const { em, file } = await unstarted(image, {
    mediaType: 'image',
    contentType: 'image/png',
    format: 'png',
  });
  const { status } = await waitForAnalysis(
    { em, engine },
    { file, skipped: false },
    { milliseconds: 15_000 },
  );
  assert.equal(status, 'completed');
});

test('a request that waits for an analysis of a document starts it if the engine missed it', async () => {
  const text = { mediaType: 'document', contentType: 'text/markdown', format: 'md' } as const;
  const { em, file } = await unstarted(invoiceDocument, text);
  const end = await waitForDocument({ em, engine }, file, { milliseconds: 60_000 });
  assert.equal(end?.status, 'completed');
});

test('a request that waits for an extraction starts it if the engine missed it', async () => {
  const { tenantId, client } = await createOwnTenant(orm, sharedRun());
  const fileId = await client.ingest({ bytes: invoiceDocument, filename: 'invoice.md' });
  await client.settled(fileId);
  const em = orm.em.fork();
  const { away, unreached } = engineAway();
  const extraction = await requestExtraction({ em, objects, engine: away }, ownerOf(tenantId), {
    id: randomUUID(),
    content: { kind: 'file', fileId },
    schema: { schema: { type: 'object', properties: { invoice_no: { type: 'string' } } }, promptHint: null },
    prompt: null,
    level: 'quick',
    citations: false,
    timeoutMs: 60_000,
  });
  assert.ok(extraction.engineDueAt);
  assert.deepEqual(unreached, [{ tenant_id: tenantId, extraction_id: extraction.id }]);

  const waiting = { milliseconds: 60_000, signal: AbortSignal.timeout(60_000) };
  await extractionWork.wait({ em, engine }, extraction, waiting);
  assert.equal(extraction.status, 'completed');
  assert.equal(extraction.engineDueAt, null);
});
