import type { EntityManager } from '@mikro-orm/postgresql';
import { ExtractionSchema } from '../../../db/entities/structured-extraction/extraction-schema.ts';
import { ExtractionSchemaVersion } from '../../../db/entities/structured-extraction/extraction-schema-version.ts';
import { AppError } from '../../../domain/app-error.ts';
import type { JsonSchema } from '../../../domain/structured-extraction/json-schema.ts';
import type { SchemaStatus } from '../../../domain/structured-extraction/extraction.ts';
import { findSchema, type SavedSchema } from './find-schema.ts';

export interface NewSchema {
  id: string;
  name: string;
  description: string | null;
  schema: JsonSchema;
  promptHint: string | null;
  status: SchemaStatus;
}

/** Changes to a saved schema; absent fields keep their values. */
export interface SchemaChange {
  name?: string | undefined;
  description?: string | null | undefined;
  schema?: JsonSchema | undefined;
  promptHint?: string | null | undefined;
  status?: SchemaStatus | undefined;
}

/**
 * Saves a schema as version 1. Idempotent by its id: a repeat returns what exists.
 *
 * @throws AppError NAME_TAKEN
 */
export async function createSchema(
  em: EntityManager,
  tenantId: string,
  { id, name, description, schema, promptHint, status }: NewSchema,
): Promise<SavedSchema> {
  return em.transactional(async (tx) => {
    await lockSchemas(tx, tenantId);
    const known = await tx.findOne(ExtractionSchema, { tenantId, id });
    if (known) return findSchema(tx, tenantId, id);
    await rejectTakenName(tx, tenantId, name);
    const now = new Date();
    const saved = tx.create(ExtractionSchema, {
      tenantId,
      id,
      name,
      description,
      status,
      version: 1,
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    });
    return { saved, version: addVersion(tx, saved, { schema, promptHint }) };
  });
}

/**
 * Changes a saved schema. A different schema or prompt hint becomes the next version: existing results keep referring
 * to the version that produced them.
 *
 * @throws AppError NOT_FOUND, NAME_TAKEN
 */
export async function changeSchema(
  em: EntityManager,
  tenantId: string,
  id: string,
  { name, description, schema, promptHint, status }: SchemaChange,
): Promise<SavedSchema> {
  return em.transactional(async (tx) => {
    await lockSchemas(tx, tenantId);
    const { saved, version } = await findSchema(tx, tenantId, id);
    if (name !== undefined) await rejectTakenName(tx, tenantId, name, saved.id);
    Object.assign(saved, {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(status !== undefined && { status }),
      updatedAt: new Date(),
    });
    const next = {
      schema: schema ?? version.schema,
      promptHint: promptHint === undefined ? version.promptHint : promptHint,
    };
    const isSame =
      next.promptHint === version.promptHint &&
      JSON.stringify(next.schema) === JSON.stringify(version.schema);
    if (isSame) return { saved, version };
    saved.version += 1;
    return { saved, version: addVersion(tx, saved, next) };
  });
}

/**
 * Deletes a saved schema; its results keep its id.
 *
 * @throws AppError NOT_FOUND
 */
export async function deleteSchema(em: EntityManager, tenantId: string, id: string): Promise<void> {
  await em.transactional(async (tx) => {
    await lockSchemas(tx, tenantId);
    const { saved } = await findSchema(tx, tenantId, id);
    saved.deletedAt = new Date();
  });
}

function addVersion(
  tx: EntityManager,
  { tenantId, id: schemaId, version, updatedAt: createdAt }: ExtractionSchema,
  content: { schema: JsonSchema; promptHint: string | null | undefined },
): ExtractionSchemaVersion {
  return tx.create(ExtractionSchemaVersion, {
    tenantId,
    schemaId,
    version,
    schema: content.schema,
    promptHint: content.promptHint ?? null,
    createdAt,
  });
}

/** Serialises changes, so that names are unique and versions consecutive. */
async function lockSchemas(tx: EntityManager, tenantId: string): Promise<void> {
  await tx.execute(`select pg_advisory_xact_lock(hashtextextended('extraction-schemas/' || ?, 0))`, [
    tenantId,
  ]);
}

async function rejectTakenName(
  tx: EntityManager,
  tenantId: string,
  name: string,
  exceptId?: string,
): Promise<void> {
  const [other] = await tx.execute<{ id: string; name: string }[]>(
    `select id, name from extraction_schemas where tenant_id = ? and lower(name) = lower(?) and deleted_at is null`,
    [tenantId, name],
  );
  if (!other || other.id === exceptId) return;
  throw new AppError('NAME_TAKEN', `there is a saved schema with the name "${other.name}"`);
}
