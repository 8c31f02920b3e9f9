import type { EntityManager } from '@mikro-orm/postgresql';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { registerMedia } from '../../services/all-media.ts';
import { ingestFile, type IncomingFile } from '../../services/uploads/ingest-file.ts';

// Entry points register the media; tests that call services are entry points.
registerMedia();

/** An image with a description requested, without an object in the store. */
export function incomingImage(attributes: Partial<IncomingFile> = {}): IncomingFile {
  const fileId = randomUUID();
  return {
    fileId,
    objectKey: fileId,
    sizeBytes: 1,
    sha256: '0'.repeat(64),
    mediaType: 'image',
    contentType: 'image/png',
    format: 'png',
    filename: 'x.png',
    title: null,
    tags: [],
    contentCategory: 'general',
    options: { autoDescribe: true, skipDuplicates: false },
    ...attributes,
  };
}

/** Inserts the row of a new image, in the root or in a folder, without a workflow. */
export async function ingestImage(
  em: EntityManager,
  tenantId: string,
  session?: { sessionId: string; index: number },
  folderId: string | null = null,
): Promise<StoredFile> {
  const incoming = incomingImage({ folderId, ...(session && { session }) });
  const outcome = await ingestFile(em, { tenantId, tier: 'enterprise' }, incoming);
  assert.ok('created' in outcome);
  return outcome.created;
}
