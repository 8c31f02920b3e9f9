import type { EntityManager } from '@mikro-orm/postgresql';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { VariantType } from '../../domain/variants.ts';

/** The variants of files, of all types or of one, unordered. */
export function findVariants(
  em: EntityManager,
  files: readonly Pick<StoredFile, 'id'>[],
  type?: VariantType,
): Promise<FileVariant[]> {
  return em.find(FileVariant, { fileId: { $in: files.map(({ id }) => id) }, ...(type && { type }) });
}
