import type { EntityManager } from '@mikro-orm/postgresql';
import type { DocumentReader, DocumentSource } from '../../engines/document-reader/document-reader.ts';
import { DOCUMENT_TYPES, type DocumentType } from 'darkroom-reader/document';
import { DocumentDetails } from '../../db/entities/documents/document-details.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import type { DocumentCache } from './document-cache.ts';
import { endOfDocumentAnalysis, type DocumentAnalysisEnd } from '../../domain/documents/document-analysis.ts';
import type { Engine } from '../../temporal/client.ts';
import { startIfDue } from '../processing/reconcile-file.ts';
import { pollUntil, type PollOptions } from '../shared/outage.ts';
import { reservationIdsOf } from '../../domain/accounts/credits.ts';

export interface ReadDocumentDeps {
  em: EntityManager;
  reader: DocumentReader;
  copies: DocumentCache;
}

/** The type of a document; undefined for other media. */
export function documentTypeOf({
  mediaType,
  format,
}: Pick<StoredFile, 'mediaType' | 'format'>): DocumentType | undefined {
  return mediaType === 'document' ? DOCUMENT_TYPES.find((type) => type === format) : undefined;
}

/**
 * Calls `read` with the document of a step.
 *
 * @throws as findTarget, DocumentCache and the reader
 */
export async function withDocument<T>(
  { em, copies }: Pick<ReadDocumentDeps, 'em' | 'copies'>,
  target: FileTarget,
  signal: AbortSignal,
  read: (source: DocumentSource, file: StoredFile) => Promise<T>,
): Promise<T> {
  const file = await findTarget(em, target);
  const type = documentTypeOf(file);
  if (!type) throw new Error(`file ${file.id} is not a document`);
  const { fileId, tenantId, generation } = target;
  const run = `${fileId} ${generation}`;
  return copies.with(file.objectKey, signal, (path) => read({ path, type, tenantId, run }, file));
}

/** The details of an inspected document. */
export async function findDetails(em: EntityManager, fileId: string): Promise<DocumentDetails> {
  const details = await em.findOne(DocumentDetails, { fileId }, { refresh: true });
  if (!details) throw new Error('the document was read before it was inspected');
  return details;
}

/**
 * Waits until a document has its text and chunks, or the time is up. Starts its processing if that is still due.
 *
 * @param file is refreshed
 * @returns how the analysis ended; undefined when the time is up
 */
export async function waitForDocument(
  deps: { em: EntityManager; engine: Engine },
  file: StoredFile,
  wait: Pick<PollOptions, 'milliseconds' | 'signal'>,
): Promise<DocumentAnalysisEnd | undefined> {
  return pollUntil(
    async () => {
      await deps.em.refreshOrFail(file);
      return endOfDocumentAnalysis(file.components);
    },
    { ...wait, startDue: () => startIfDue(deps, file) },
  );
}

/**
 * The pages of a document still to be read, and how many of them the next run must pay for: all until a run was paid
 * for. After that, only pages that are reread, and those read by runs whose credits were refunded; pages that the paid
 * run could not read are paid for.
 *
 * @param target the last generation to consider
 */
export async function countUnpaidPages(
  em: EntityManager,
  { fileId, generation }: Pick<FileTarget, 'fileId' | 'generation'>,
): Promise<{ listed: number; unpaid: number }> {
  const ids = Array.from({ length: generation }, (_, at) => reservationIdsOf(fileId, at + 1)).flat();
  const [row] = await em.execute<{ listed: number; unpaid: number }[]>(
    `with settled as (
       select closed.kind, opened.created_at as opened_at, closed.created_at as closed_at
       from credit_entries closed join credit_entries opened using (reservation_id)
       where closed.closes and not opened.closes
         and opened.reservation_id = any(?::text[]) and opened.charges @> '[{"operation": "digitize"}]'),
     paid as (select max(closed_at) as at from settled where kind = 'spend'),
     refunded as (
       select min(opened_at) as since from settled, paid where kind = 'refund' and opened_at > paid.at)
     select count(*) filter (where status <> 'completed')::int as listed,
       count(*) filter (
         where paid.at is null or updated_at >= refunded.since
           or (status <> 'completed' and content_hash is not null))::int as unpaid
     from document_pages, paid, refunded where file_id = ?`,
    [`{${ids.map((id) => `"${id}"`).join(',')}}`, fileId],
  );
  return row ?? { listed: 0, unpaid: 0 };
}
