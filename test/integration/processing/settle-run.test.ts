import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { CreditBalance } from '../../../db/entities/accounts/credit-balance.ts';
import { CreditEntry } from '../../../db/entities/accounts/credit-entry.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { DocumentPage } from '../../../db/entities/documents/document-page.ts';
import { CategoryExtraction } from '../../../db/entities/extractions/category-extraction.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { pagesReservationId } from '../../../domain/accounts/credits.ts';
import { outstanding, type ComponentName, type Components } from '../../../domain/components.ts';
import type { RetryRequest } from '../../../domain/retry-components.ts';
import { creditsForPages } from '../../../domain/documents/page.ts';
import { applyFileEvent } from '../../../domain/file-events.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import type { TimelineRun } from '../../../domain/timeline.ts';
import { reserveCredits } from '../../../services/accounts/credits.ts';
import { countUnpaidPages } from '../../../services/documents/document-target.ts';
import { endFileRun, LAST_SEQ } from '../../../services/processing/end-file-run.ts';
import { retryFile } from '../../../services/processing/retry-file.ts';
import { moveToTrash } from '../../../services/trash/delete-files.ts';
import { restoreFile } from '../../../services/trash/restore-file.ts';
import { ingestFile, type IncomingFile } from '../../../services/uploads/ingest-file.ts';
import { incomingImage } from '../../support/ingest-image.ts';
import { ownerOf } from '../../support/principals.ts';
import { subscribe } from '../../support/webhooks.ts';

/** The credits of the runs of a file, on the database of the shared stack; the runs are simulated. */
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
const em = () => orm.em.fork();

const PAID = ['description', 'extraction'] as const;
type Paid = (typeof PAID)[number];

/** A file of a new tenant; by default an image of a category with extractions. */
async function upload(attributes: Partial<IncomingFile> = {}) {
  const tenantId = randomUUID();
  await em().insert(Tenant, { id: tenantId, name: 'ledger', tier: 'starter', createdAt: new Date() });
  const principal = ownerOf(tenantId, 'starter');
  const incoming = incomingImage({ contentCategory: 'pid', ...attributes });
  const { fileId } = incoming;
  await ingestFile(em(), principal, incoming);
  const row = () => em().findOneOrFail(StoredFile, { id: fileId });
  return {
    fileId,
    row,
    /** Ends the run as if its components had succeeded or failed. */
    async end(succeeds: Partial<Record<ComponentName, boolean>>): Promise<void> {
      const file = await row();
      const { mediaType, generation } = file;
      const at = new Date().toISOString();
      const reason = { code: 'X', message: 'x' };
      const components = outstanding(file).reduce<Components>(
        (all, component) =>
          (succeeds[component] ?? true)
            ? applyFileEvent(all, { type: 'step_completed', component, at })
            : applyFileEvent(all, { type: 'step_failed', mediaType, component, at, reason }),
        file.components,
      );
      const run: TimelineRun = {
        generation,
        runId: randomUUID(),
        startedAt: at,
        endedAt: at,
        outcome: 'completed',
        steps: [],
      };
      await endFileRun(em(), { fileId, tenantId, generation, seq: LAST_SEQ, components, mediaType }, run);
    },
    trash: async () => {
      await moveToTrash(em(), tenantId, fileId, []);
    },
    restore: async () => restoreFile(em(), principal, await row()),
    limit: (maxMonthlyCredits: number) => em().nativeUpdate(Tenant, tenantId, { maxMonthlyCredits }),
    retry: async (request?: RetryRequest) => (await retryFile(em(), principal, await row(), request)).retried,
    statusOf: async (name: Paid) => (await row()).components[name]?.status,
    async used(): Promise<number> {
      return (await em().findOne(CreditBalance, { tenantId }))?.used ?? 0;
    },
    /** Credits reserved less refunded; fails if a reservation is open or was closed twice. */
    async ledger(): Promise<number> {
      const entries = await em().find(CreditEntry, { tenantId });
      const [opened, closed] = [
        entries.filter(({ closes }) => !closes),
        entries.filter(({ closes }) => closes),
      ];
      assert.deepEqual(
        closed.map(({ reservationId }) => reservationId).toSorted(),
        opened.map(({ reservationId }) => reservationId).toSorted(),
      );
      return closed.reduce((sum, { kind, amount }) => sum + (kind === 'spend' ? amount : 0), 0);
    },
  };
}

test('a completed description is charged, and its failed extraction is retried without another credit', async () => {
  const file = await upload();
  assert.equal(await file.used(), 1);
  await file.end({ description: true, extraction: false });
  assert.equal(await file.used(), 1);
  assert.deepEqual(await file.retry(), ['extraction']);
  await file.end({ description: true, extraction: false });
  assert.deepEqual(await file.retry(), ['extraction']);
  await file.end({ description: true, extraction: true });
  assert.equal(await file.used(), 1);

  await file.retry({ components: ['extraction'] });
  assert.equal(await file.used(), 2);
  await file.end({ description: true, extraction: false });
  assert.equal(await file.used(), 1);
  assert.equal(await file.ledger(), 1);
});

test('after any failures and retries, reserved less refunded is the usage, and nothing is charged twice', async () => {
  const succeeds = fc.record({ description: fc.boolean(), extraction: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(succeeds, fc.array(succeeds, { maxLength: 4 }), async (first, later) => {
      const file = await upload();
      await file.end(first);
      for (const next of later) {
        const statuses = await Promise.all(PAID.map(file.statusOf));
        if (!statuses.includes('failed')) break;
        await file.retry();
        await file.end(next);
      }
      const used = await file.used();
      assert.equal(await file.ledger(), used);
      // Only failed components are retried: one credit in total, once the description is completed.
      assert.equal(used, (await file.statusOf('description')) === 'completed' ? 1 : 0);
    }),
    { numRuns: 15 },
  );
});

/** A document with listed pages, of which all but the last `unread` are read; their credits are reserved. */
async function documentOf(pages: number, unread: number) {
  const file = await upload({ mediaType: 'document', contentType: 'application/pdf', format: 'pdf' });
  const { fileId } = file;
  const { tenantId } = await file.row();
  await em().execute(
    `insert into document_pages
       (file_id, page_number, status, needs_ocr, source, elements, text, content_hash, attempts, error, updated_at)
     select ?, page, case when page > ?::int then 'pending' else 'completed' end, false, null, '[]', '',
       case when page > ?::int then null else repeat('0', 64) end, 0, null, now()
     from generate_series(1, ?::int) as page`,
    [fileId, pages - unread, pages - unread, pages],
  );
  await reserveCredits(em(), {
    tenantId,
    tier: 'starter',
    reservationId: pagesReservationId(fileId, 1),
    charges: [{ operation: 'digitize', level: null, credits: creditsForPages(pages) - 1 }],
  });
  const count = async () => countUnpaidPages(em(), { fileId, generation: (await file.row()).generation });
  return { ...file, count };
}

test('the pages of a document are charged although its description fails, and its retry does not charge them again', async () => {
  const file = await documentOf(1000, 0);
  await file.end({ description: false });
  assert.equal(await file.used(), 199);
  const again = () =>
    em().nativeUpdate(DocumentPage, { fileId: file.fileId, pageNumber: 5 }, { status: 'pending' });
  await again();
  assert.deepEqual(await file.count(), { listed: 1, unpaid: 1 });
  assert.deepEqual(await file.retry({ components: ['description'] }), ['description']);
  await file.end({ description: false });
  assert.deepEqual(await file.count(), { listed: 1, unpaid: 1 });
  // After a refunded run, only the pages that it has read are unpaid.
  assert.deepEqual(await file.retry({ pages: [5] }), ['text_extraction', 'digitization']);
  await em().nativeUpdate(
    DocumentPage,
    { fileId: file.fileId, pageNumber: 5 },
    { status: 'completed', updatedAt: new Date() },
  );
  await file.end({ text_extraction: false });
  assert.deepEqual(await file.count(), { listed: 0, unpaid: 1 });
  assert.equal(await file.ledger(), 199);
});

test('a document that is deleted while its pages are read is charged in full after a restore', async () => {
  const file = await documentOf(1000, 10);
  await file.trash();
  assert.equal(await file.used(), 0);
  const { resumed } = await file.restore();
  assert.deepEqual(resumed, ['text_extraction', 'digitization', 'preview', 'description']);
  assert.deepEqual(await file.count(), { listed: 10, unpaid: 1000 });
});

test('without credits no unpaid component of a restored document runs, and none that depends on one', async () => {
  const file = await upload({ mediaType: 'document', contentType: 'application/pdf', format: 'pdf' });
  await file.trash();
  await file.limit(0);
  const { resumed, unpaid } = await file.restore();
  assert.deepEqual([resumed, unpaid], [[], ['text_extraction', 'digitization', 'preview', 'description']]);
  const { generation, primaryStatus } = await file.row();
  assert.deepEqual([generation, primaryStatus], [1, 'failed']);
});

test('the extraction by a saved schema is reserved again when its file is restored', async () => {
  const customSchemaId = randomUUID();
  const file = await upload({ options: { autoDescribe: true, skipDuplicates: false, customSchemaId } });
  const before = await file.used();
  await file.trash();
  assert.equal(await file.used(), 0);
  await file.restore();
  assert.equal(await file.used(), before);
  await file.trash();
  await file.limit(1);
  const { resumed, unpaid } = await file.restore();
  assert.deepEqual([resumed, unpaid], [['variant'], ['description', 'extraction']]);
  assert.equal(await file.used(), 0);
});

test('the webhook of a file gets the end of its extraction before the end of the file', async () => {
  const options = { autoDescribe: true, skipDuplicates: false, customSchemaId: randomUUID() };
  const file = await upload({ options });
  const { fileId } = file;
  const { tenantId, generation } = await file.row();
  const webhookId = await subscribe(orm, { tenantId, subjectId: fileId });
  await em().execute(
    `insert into schema_extractions (
       id, tenant_id, source, file_id, generation, schema, level, citations_requested, status, created_at, updated_at)
     values (?, ?, 'upload', ?, ?, '{}', 'default', true, 'processing', now(), now())`,
    [randomUUID(), tenantId, fileId, generation],
  );
  await file.end({});
  const events = await em().execute<{ type: string }[]>(
    `select type from webhook_deliveries d join webhook_events e on e.id = d.event_id
     where subscription_id = ? order by sequence`,
    [webhookId],
  );
  assert.deepEqual(
    events.map(({ type }) => type),
    ['extraction.failed', 'file.completed'],
  );
});

test('a retry of all failed components skips an extraction that is no longer needed', async () => {
  const file = await upload({ contentCategory: 'auto' });
  await file.end({ description: false, extraction: false });
  await em().nativeUpdate(StoredFile, { id: file.fileId }, { contentCategory: 'general' });
  await assert.rejects(file.retry({ components: ['extraction'] }), { code: 'NOTHING_TO_RETRY' });
  assert.deepEqual(await file.retry(), ['description']);
  assert.equal((await file.row()).components.extraction?.cause, 'by_request');
  await file.end({});
  assert.deepEqual([(await file.row()).primaryStatus, await file.ledger()], ['completed', 1]);
});

test('a stored result of a failed extraction is kept by a retry, until a new extraction is requested', async () => {
  const file = await upload();
  const { fileId } = file;
  await em().insert(CategoryExtraction, {
    fileId,
    category: 'pid',
    generation: 1,
    status: 'completed',
    reason: null,
    result: null,
    provider: 'x',
    model: 'x',
    promptVersion: 'x',
    extractedAt: new Date(),
    corrections: null,
    correctedAt: null,
  });
  const kept = async () => (await em().findOneOrFail(CategoryExtraction, { fileId })).generation;
  await file.end({ extraction: false });
  await file.retry();
  assert.equal(await kept(), 2);
  await file.end({});
  await file.retry({ components: ['extraction'] });
  assert.equal(await kept(), 2);
});
