import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { AppError } from '../../../domain/app-error.ts';
import { discardObject } from '../claimed-objects.ts';
import { ingestFile, type IncomingFile, type IngestOutcome } from '../ingest-file.ts';
import type { Principal } from '../../accounts/resolve-principal.ts';

/**
 * Makes a file of an object that was stored under a claimed key. When it becomes none, because it is refused or a
 * duplicate, the object is removed.
 *
 * @throws AppError, and whatever the database throws. Then it is not known whether the row was written, so the object
 *   stays; if there is no row in the end, the claim is still there and the object goes with the abandoned ones
 */
export async function acceptUpload(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  principal: Principal,
  incoming: IncomingFile,
): Promise<IngestOutcome> {
  const { fileId, objectKey } = incoming;
  const discard = () => discardObject({ em: em.fork(), objects }, objectKey);
  try {
    const outcome = await ingestFile(em, principal, incoming);
    if ('duplicateOf' in outcome) await discard();
    return outcome;
  } catch (error) {
    if (error instanceof AppError) {
      await discard();
      throw error;
    }
    // The answer to COMMIT may be all that was lost.
    const created = await em.fork().findOne(StoredFile, { id: fileId, tenantId: principal.tenantId });
    if (!created) throw error;
    return { created };
  }
}
