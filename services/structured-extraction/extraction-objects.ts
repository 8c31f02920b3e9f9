import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { extractionKey, type ExtractionObject } from '../../domain/object-keys.ts';
import type { ExtractionTarget } from '../../temporal/contract/extract-data.ts';
import { claimObject, discardObject, releaseClaim } from '../uploads/claimed-objects.ts';
import { ExtractionOver } from './extraction-target.ts';

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
