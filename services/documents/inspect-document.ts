import type { EntityManager } from '@mikro-orm/postgresql';
import type { DocumentFacts } from '../../adapters/document-reader/document-reader.ts';
import { DocumentDetails } from '../../db/entities/documents/document-details.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { pagesReservationId, reservationId } from '../../domain/accounts/credits.ts';
import { creditsForPages } from '../../domain/documents/page-credits.ts';
import { requirePipeline } from '../../domain/pipelines/index.ts';
import { reserveCredits } from '../accounts/credits.ts';
import { lockFile } from '../files/lock-file.ts';
import type { FileTarget } from '../processing/file-target.ts';
import { withDocument, type ReadDocumentDeps } from './document-target.ts';
import { storable } from '../shared/storable.ts';

/**
 * Opens a document, lists its pages and reserves the credits that they cost beyond those reserved at its acceptance. Pages
 * that an earlier run listed stay as they are: a retry has marked those that are to be read again.
 *
 * @throws FileGone, UnreadableDocument; AppError QUOTA_EXHAUSTED
 */
export async function inspectDocument(
  { em, reader, copies }: ReadDocumentDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const known = (await em.count(DocumentDetails, { fileId: target.fileId })) > 0;
  const facts = known
    ? undefined
    : await withDocument({ em, copies }, target, signal, (source) => reader.inspect(source, signal));
  await em.transactional(async (tx) => {
    const file = await lockFile(tx, target.tenantId, target.fileId);
    if (!file || file.generation !== target.generation || file.deletedAt) return;
    if (facts) await saveFacts(tx, target.fileId, facts);
    await reservePages(tx, target);
  });
}

async function saveFacts(tx: EntityManager, fileId: string, facts: DocumentFacts): Promise<void> {
  const { pageCount, title, author, createdAt, language, profile } = facts;
  await tx.upsert(
    DocumentDetails,
    storable({
      fileId,
      pageCount,
      title,
      author,
      statedCreatedAt: createdAt,
      language,
      profile,
      staleChunks: [],
    }),
    { onConflictExcludeFields: ['staleChunks'] },
  );
  await tx.execute('delete from document_pages where file_id = ?', [fileId]);
  await tx.execute(
    `insert into document_pages
       (file_id, page_number, status, needs_ocr, source, elements, text, content_hash, attempts, error, updated_at)
     select ?, page, 'pending', page in (select jsonb_array_elements_text(?::jsonb)::int), null, '[]', '', null, 0, null, now()
     from generate_series(1, ?::int) as page`,
    [fileId, JSON.stringify(facts.pagesToRecognise), pageCount],
  );
}

/** The credits of the pages that this run reads, less those that were reserved when it was accepted. */
async function reservePages(tx: EntityManager, { fileId, tenantId, generation }: FileTarget): Promise<void> {
  const [row] = await tx.execute<{ pages: number; api_key_id: string | null }[]>(
    `select count(*)::int as pages,
       (select api_key_id from credit_entries where reservation_id = ? and not closes) as api_key_id
     from document_pages where file_id = ? and status <> 'completed'`,
    [reservationId(fileId, generation), fileId],
  );
  const { tier } = await tx.findOneOrFail(Tenant, tenantId);
  const reserved =
    requirePipeline('document').components.find(({ name }) => name === 'text_extraction')?.credits ?? 0;
  const credits = Math.max(0, creditsForPages(row?.pages ?? 0) - reserved);
  await reserveCredits(tx, {
    tenantId,
    tier,
    reservationId: pagesReservationId(fileId, generation),
    charges: [{ operation: 'digitize', level: null, credits }],
    apiKeyId: row?.api_key_id,
  });
}
