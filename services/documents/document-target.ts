import type { EntityManager } from '@mikro-orm/postgresql';
import type { DocumentReader, DocumentSource } from '../../adapters/document-reader/index.ts';
import { DocumentDetails } from '../../db/entities/documents/document-details.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { DOCUMENT_TYPES, type DocumentType } from '../../domain/documents/document-type.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import type { LocalCopies } from './local-copies.ts';

export interface ReadDocumentDeps {
  em: EntityManager;
  reader: DocumentReader;
  copies: LocalCopies;
}

/** The type of a document; undefined for other media. */
export function documentTypeOf({
  mediaType,
  format,
}: Pick<StoredFile, 'mediaType' | 'format'>): DocumentType | undefined {
  return mediaType === 'document' ? DOCUMENT_TYPES.find((type) => type === format) : undefined;
}

/**
 * Calls `read` with the document that a step works on.
 *
 * @throws as findTarget, LocalCopies and the reader
 */
export async function withDocument<T>(
  { em, copies }: Pick<ReadDocumentDeps, 'em' | 'copies'>,
  target: FileTarget,
  signal: AbortSignal,
  read: (source: DocumentSource, file: StoredFile) => Promise<T>,
): Promise<T> {
  const file = await findTarget(em, target);
  const type = documentTypeOf(file);
  if (!type) throw new Error(`file ${file.id} is no document`);
  return copies.with(file.objectKey, signal, (path) => read({ path, type, tenantId: target.tenantId }, file));
}

/** The details of a document that was inspected. */
export async function findDetails(em: EntityManager, fileId: string): Promise<DocumentDetails> {
  const details = await em.findOne(DocumentDetails, { fileId }, { refresh: true });
  if (!details) throw new Error('the document was read before it was inspected');
  return details;
}
