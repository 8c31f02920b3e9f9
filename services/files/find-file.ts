import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { notFound, AppError, type ErrorCode } from '../../domain/app-error.ts';
import { isUuid } from '../shared/ids.ts';
import { explainAbsentFile } from './explain-absent-file.ts';

/** The errors of finding a file. */
export const FILE_ERRORS: readonly ErrorCode[] = ['NOT_FOUND', 'AMBIGUOUS_ID'];

const PREFIX = /^[0-9a-f]{8}$/i;

/**
 * A live file of the tenant by its id, or by the first 8 characters of it.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed, deleted or of another tenant; AMBIGUOUS_ID for a
 *   prefix of several files
 */
export function findFile(em: EntityManager, tenantId: string, id: string): Promise<StoredFile> {
  return find(em, { tenantId, deletedAt: null }, id);
}

/** The same, including files in the trash. */
export function findFileOrTrash(em: EntityManager, tenantId: string, id: string): Promise<StoredFile> {
  return find(em, { tenantId }, id);
}

async function find(
  em: EntityManager,
  among: { tenantId: string; deletedAt?: null },
  id: string,
): Promise<StoredFile> {
  if (isUuid(id)) {
    const file = await em.findOne(StoredFile, { id: id.toLowerCase(), ...among });
    if (file) return file;
    throw await explainAbsentFile(em, among.tenantId, id.toLowerCase(), notFound('file'));
  } else if (PREFIX.test(id)) {
    const range = { $gte: `${id}-0000-0000-0000-000000000000`, $lte: `${id}-ffff-ffff-ffff-ffffffffffff` };
    const [file, another] = await em.find(StoredFile, { id: range, ...among }, { limit: 2 });
    if (another) throw new AppError('AMBIGUOUS_ID', `several files begin with ${id}; use the whole id`);
    if (file) return file;
  }
  throw notFound('file');
}
