import type { EntityManager } from '@mikro-orm/postgresql';
import { findNamedSchema } from '../../../services/structured-extraction/saved-schemas/find-schema.ts';

/**
 * The id of the saved schema that an upload or a project names, as rows have it; undefined where it names none.
 *
 * @throws AppError CUSTOM_SCHEMA_NOT_FOUND, also for a draft
 */
export async function requireSchema(
  em: EntityManager,
  tenantId: string,
  id: string | null | undefined,
): Promise<string | undefined> {
  if (!id) return undefined;
  const { saved } = await findNamedSchema(em, tenantId, id, 'background');
  return saved?.id;
}
