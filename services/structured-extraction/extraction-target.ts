import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import type { ExtractionTarget } from '../../temporal/contract/extract-data.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { extractionKey, type ExtractionObject } from '../../domain/object-keys.ts';
import { claimObject, discardObject, releaseClaim } from '../uploads/claimed-objects.ts';

/** The extraction has ended or was deleted with its file, so no work is left. */
export class ExtractionOver extends Error {
  override readonly name = 'ExtractionOver';
}

/** The content of the extraction is unavailable or unreadable. */
export class ContentMissing extends Error {
  override readonly name = 'ContentMissing';
  readonly code: 'CONTENT_MISSING' | 'DOCUMENT_EMPTY' | 'DOCUMENT_TOO_LARGE';

  constructor(message: string, code: ContentMissing['code'] = 'CONTENT_MISSING') {
    super(message);
    this.code = code;
  }
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

/**
 * Stores an object for the duration of its extraction. Until the row lists it, a claim does, so that a crash in between
 * leaves no permanent orphan.
 *
 * @throws ExtractionOver when it ended meanwhile
 */
export async function storeExtractionObject(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  target: ExtractionTarget,
  kind: ExtractionObject,
  { bytes, contentType }: { bytes: Uint8Array; contentType: string },
): Promise<void> {
  const { extractionId, tenantId } = target;
  const key = extractionKey({ tenantId }, extractionId, kind, randomUUID());
  await claimObject(em, key);
  await objects.put(key, bytes, { contentType });
  const listed = await em.transactional(async (tx) => {
    const row = await tx.findOne(
      SchemaExtraction,
      { id: extractionId, tenantId, status: 'processing' },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    if (!row) return false;
    row.objectKeys = [...row.objectKeys, key];
    await releaseClaim(tx, key);
    return true;
  });
  if (listed) return;
  await discardObject({ em, objects }, key);
  throw new ExtractionOver('the extraction has ended');
}

/** The newest object of a kind in an extraction. */
export function objectOf(
  { id, tenantId, objectKeys }: SchemaExtraction,
  kind: ExtractionObject,
): string | undefined {
  return objectKeys.findLast((key) => key.startsWith(extractionKey({ tenantId }, id, kind, '')));
}
