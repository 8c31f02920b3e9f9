import type { EntityManager } from '@mikro-orm/postgresql';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { ingestFile } from '../../services/uploads/ingest-file.ts';

/** The row of a new image to be described, in the root or in a folder, without an object in the store and without a workflow. */
export async function ingestImage(
  em: EntityManager,
  tenantId: string,
  session?: { sessionId: string; index: number },
  folderId: string | null = null,
): Promise<StoredFile> {
  const fileId = randomUUID();
  const outcome = await ingestFile(
    em,
    { tenantId, tier: 'enterprise' },
    {
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
      folderId,
      ...(session && { session }),
    },
  );
  assert.ok('created' in outcome);
  return outcome.created;
}
