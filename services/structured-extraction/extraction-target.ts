import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import type { ExtractionTarget } from '../../temporal/contract/extract-data.ts';

/** The extraction has ended or was deleted with its file, so no work is left. */
export class ExtractionOver extends Error {
  override readonly name = 'ExtractionOver';
}

/** The content of the extraction is unavailable or unreadable. */
export class ContentMissing extends Error {
  override readonly name = 'ContentMissing';
}

/**
 * The row of the extraction in progress.
 *
 * @throws ExtractionOver
 */
export async function findExtractionTarget(
  em: EntityManager,
  { extractionId, tenantId }: ExtractionTarget,
): Promise<SchemaExtraction> {
  const extraction = await em.findOne(
    SchemaExtraction,
    { id: extractionId, tenantId, status: 'processing' },
    { refresh: true },
  );
  if (!extraction) throw new ExtractionOver('the extraction has ended');
  return extraction;
}

/**
 * The source file; undefined for an extraction from an image that is not a file.
 *
 * @throws ContentMissing for a file that was deleted meanwhile
 */
export async function findExtractedFile(
  em: EntityManager,
  { fileId, tenantId }: SchemaExtraction,
): Promise<StoredFile | undefined> {
  if (!fileId) return undefined;
  const file = await em.findOne(StoredFile, { id: fileId, tenantId, deletedAt: null });
  if (!file) throw new ContentMissing('the file was deleted before data was extracted from it');
  return file;
}
