import type { EntityManager } from '@mikro-orm/postgresql';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { findTarget, type FileTarget } from '../processing/file-target.ts';
import { nameUuid } from '../shared/sql.ts';
import { rowOf } from './request-extraction.ts';
import { findUsedSchema } from './saved-schemas/find-schema.ts';
import { NOT_DUE } from '../shared/due.ts';

/**
 * Opens the extraction by the saved schema that was named with the upload: its newest version, even if deleted since.
 * Idempotent per generation.
 *
 * @returns its id; undefined for a file without a schema, and when the extraction has ended
 * @throws FileGone, UploadSessionPaused, UploadSessionCancelled
 */
export async function openSchemaExtraction(
  em: EntityManager,
  target: FileTarget,
): Promise<string | undefined> {
  const { options } = await findTarget(em, target);
  const { fileId, tenantId, generation } = target;
  const schema = options.customSchemaId && (await findUsedSchema(em, tenantId, options.customSchemaId));
  if (!schema) return undefined;
  const id = nameUuid(`schema-extraction/${fileId}/${generation}`);
  const now = new Date();
  await em.upsert(
    SchemaExtraction,
    {
      id,
      tenantId,
      source: 'upload',
      fileId,
      generation,
      sourceUrl: null,
      objectKeys: [],
      ...rowOf(schema, { prompt: null, level: 'default', citations: true }),
      giveUpAt: null,
      apiKeyId: null,
      userId: null,
      ...NOT_DUE,
      createdAt: now,
      updatedAt: now,
    },
    { onConflictAction: 'ignore' },
  );
  const { status } = await em.findOneOrFail(SchemaExtraction, { id, tenantId }, { refresh: true });
  return status === 'processing' ? id : undefined;
}
