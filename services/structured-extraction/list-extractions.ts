import type { EntityManager } from '@mikro-orm/postgresql';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';

/** What a list shows of an extraction: not its schema, data and citations, which may be large. */
const LISTED = [
  'id',
  'status',
  'source',
  'fileId',
  'schemaId',
  'schemaVersion',
  'level',
  'model',
  'error',
  'createdAt',
  'completedAt',
] as const satisfies readonly (keyof SchemaExtraction)[];
export type ListedExtraction = Pick<SchemaExtraction, (typeof LISTED)[number]>;

/** One page of a tenant's extractions, newest first, and the total count. */
export async function listExtractions(
  em: EntityManager,
  tenantId: string,
  {
    fileId,
    status,
    limit,
    offset,
  }: {
    fileId?: string | undefined;
    status?: SchemaExtraction['status'] | undefined;
    limit: number;
    offset: number;
  },
): Promise<{ extractions: ListedExtraction[]; totalCount: number }> {
  const where = { tenantId, ...(fileId && { fileId }), ...(status && { status }) };
  const [extractions, totalCount] = await em.findAndCount(SchemaExtraction, where, {
    fields: [...LISTED],
    limit,
    offset,
    orderBy: { createdAt: 'desc', id: 'desc' },
  });
  return { extractions, totalCount };
}
