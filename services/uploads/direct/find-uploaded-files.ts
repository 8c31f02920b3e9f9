import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { UploadIntent } from '../../../db/entities/uploads/upload-intent.ts';

/** The id of the file that an upload becomes, or is a duplicate of. */
export function fileIdOf({ duplicateOf, fileId }: UploadIntent): string {
  return duplicateOf ?? fileId;
}

/** The existing files of a tenant's uploads, including those in the trash, unordered. */
export function findUploadedFiles(
  em: EntityManager,
  tenantId: string,
  intents: readonly UploadIntent[],
): Promise<StoredFile[]> {
  return em.find(StoredFile, { id: { $in: intents.map(fileIdOf) }, tenantId }, { refresh: true });
}
