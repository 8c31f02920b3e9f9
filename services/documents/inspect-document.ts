import type { EntityManager } from '@mikro-orm/postgresql';
import type { DocumentFacts } from 'darkroom-reader';
import { withNotes } from 'darkroom-reader/document';
import { CreditEntry } from '../../db/entities/accounts/credit-entry.ts';
import { DocumentDetails } from '../../db/entities/documents/document-details.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { creditsForMorePages, pagesReservationId, reservationId } from '../../domain/accounts/credits.ts';
import { reserveCredits } from '../accounts/credits.ts';
import { lockFile } from '../files/find-file.ts';
import type { FileTarget } from '../processing/file-target.ts';
import { withDocument, type ReadDocumentDeps, countUnpaidPages } from './document-target.ts';
import { storeAttachments, type StoreAttachmentsDeps } from './store-attachments.ts';
import { storable } from '../shared/sql.ts';

/**
 * Opens a document, makes its attachments files, lists its pages and reserves their credits beyond those reserved at acceptance. Pages listed by an
 * earlier run are unchanged: a retry has marked those to be read again.
 *
 * @throws FileGone, UnreadableDocument; AppError QUOTA_EXHAUSTED
 */
export async function inspectDocument(
  { em, reader, copies, ...deps }: ReadDocumentDeps & StoreAttachmentsDeps,
  target: FileTarget,
  signal: AbortSignal,
): Promise<void> {
  const known = (await em.count(DocumentDetails, { fileId: target.fileId })) > 0;
  const facts = known
    ? undefined
    : await withDocument({ em, copies }, target, signal, async (source, file) => {
        const { attachments = [], ...found } = await reader.inspect(source, signal);
        // Before its facts are saved: this step is skipped once they are.
        const notes = await storeAttachments({ em, reader, ...deps }, file, source, attachments, signal);
        return { ...found, profile: withNotes(found.profile, notes) };
      });
  await em.transactional(async (tx) => {
    const file = await lockFile(tx, target.tenantId, target.fileId);
    if (!file || file.generation !== target.generation || file.deletedAt) return;
    if (facts) await saveFacts(tx, target.fileId, facts);
    const before = { ...target, generation: target.generation - 1 };
    const pages = facts ? facts.pageCount : (await countUnpaidPages(tx, before)).unpaid;
    await reservePages(tx, target, pages);
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

/** Reserves the credits of the pages, less those reserved when the run was accepted. */
async function reservePages(
  tx: EntityManager,
  { fileId, tenantId, generation }: FileTarget,
  pages: number,
): Promise<void> {
  const accepted = await tx.findOne(CreditEntry, {
    reservationId: reservationId(fileId, generation),
    closes: false,
  });
  const { tier } = await tx.findOneOrFail(Tenant, tenantId);
  await reserveCredits(tx, {
    tenantId,
    tier,
    reservationId: pagesReservationId(fileId, generation),
    charges: [{ operation: 'digitize', level: null, credits: creditsForMorePages(pages) }],
    apiKeyId: accepted?.apiKeyId,
  });
}
