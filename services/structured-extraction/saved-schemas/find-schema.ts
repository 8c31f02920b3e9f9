import type { EntityManager } from '@mikro-orm/postgresql';
import { ExtractionSchema } from '../../../db/entities/structured-extraction/extraction-schema.ts';
import { ExtractionSchemaVersion } from '../../../db/entities/structured-extraction/extraction-schema-version.ts';
import { AppError, notFound } from '../../../domain/app-error.ts';
import type { SchemaStatus, UsedSchema } from '../../../domain/structured-extraction/extraction.ts';
import { isUuid } from '../../shared/sql.ts';

/** A saved schema with one of its versions. */
export interface SavedSchema {
  saved: ExtractionSchema;
  version: ExtractionSchemaVersion;
}

/**
 * A live saved schema of the tenant.
 *
 * @param version by default the newest
 * @throws AppError NOT_FOUND for an id that is unknown, malformed, deleted or of another tenant, and for a version that
 *   does not exist
 */
export async function findSchema(
  em: EntityManager,
  tenantId: string,
  id: string,
  version?: number,
): Promise<SavedSchema> {
  const found = isUuid(id) ? await read(em, tenantId, id.toLowerCase(), version) : undefined;
  if (!found) throw notFound('saved schema');
  return found;
}

/**
 * The newest version of the saved schema that a request names.
 *
 * @param use `background` for uploads and projects, which take only live ones
 * @throws AppError CUSTOM_SCHEMA_NOT_FOUND
 */
export async function findNamedSchema(
  em: EntityManager,
  tenantId: string,
  id: string,
  use: 'request' | 'background',
): Promise<UsedSchema> {
  const found = isUuid(id) ? await read(em, tenantId, id.toLowerCase()) : undefined;
  if (!found) throw new AppError('CUSTOM_SCHEMA_NOT_FOUND', 'saved schema not found');
  const { saved, version } = found;
  if (use === 'background' && saved.status === 'draft') {
    throw new AppError(
      'CUSTOM_SCHEMA_NOT_FOUND',
      `the saved schema "${saved.name}" is a draft; set its status to live before uploads name it`,
    );
  }
  const { schema, promptHint = null, version: number } = version;
  return { schema, promptHint, saved: { id: saved.id, version: number } };
}

/** The newest version of a saved schema named by accepted work, even if deleted since. */
export async function findUsedSchema(
  em: EntityManager,
  tenantId: string,
  id: string,
): Promise<UsedSchema | undefined> {
  const [version] = await em.find(
    ExtractionSchemaVersion,
    { tenantId, schemaId: id },
    { orderBy: { version: 'desc' }, limit: 1 },
  );
  if (!version) return undefined;
  const { schema, promptHint = null, version: number } = version;
  return { schema, promptHint, saved: { id, version: number } };
}

/** One page of a tenant's saved schemas by name, each with its newest version, and the total count. */
export async function listSchemas(
  em: EntityManager,
  tenantId: string,
  { status, limit, offset }: { status?: SchemaStatus | undefined; limit: number; offset: number },
): Promise<{ schemas: SavedSchema[]; totalCount: number }> {
  const where = { tenantId, deletedAt: null, ...(status && { status }) };
  const saved = await em.find(ExtractionSchema, where, {
    limit,
    offset,
    orderBy: { name: 'asc', id: 'asc' },
  });
  // With no alternatives, `$or` would select the versions of all schemas.
  const wanted = saved.map(({ id: schemaId, version }) => ({ schemaId, version }));
  const versions = wanted.length > 0 ? await em.find(ExtractionSchemaVersion, { tenantId, $or: wanted }) : [];
  const byId = new Map(versions.map((version) => [version.schemaId, version]));
  return {
    schemas: saved.flatMap((each) => {
      const version = byId.get(each.id);
      return version ? [{ saved: each, version }] : [];
    }),
    totalCount: await em.count(ExtractionSchema, where),
  };
}

async function read(
  em: EntityManager,
  tenantId: string,
  id: string,
  number?: number,
): Promise<SavedSchema | undefined> {
  const saved = await em.findOne(ExtractionSchema, { tenantId, id, deletedAt: null }, { refresh: true });
  if (!saved) return undefined;
  const version = await em.findOne(ExtractionSchemaVersion, {
    tenantId,
    schemaId: id,
    version: number ?? saved.version,
  });
  return version ? { saved, version } : undefined;
}
