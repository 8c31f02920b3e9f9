import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { AppError } from '../../../domain/app-error.ts';
import { discardObject } from '../claimed-objects.ts';
import { ingestFile, type IncomingFile, type IngestOutcome } from '../ingest-file.ts';
import { apiKeyIdOf, type Principal } from '../../accounts/principal.ts';

/**
 * Creates the file of an object stored under a claimed key. If it is rejected or a duplicate, the object is removed.
 *
 * @throws AppError, and database errors. After those it is unknown whether the row was written, so the object stays;
 *   without a row, the claim remains and the object is removed with the abandoned ones
 */
export async function acceptUpload(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  principal: Principal,
  incoming: IncomingFile,
): Promise<IngestOutcome> {
  const { fileId, objectKey } = incoming;
  const discard = () => discardObject({ em: em.fork(), objects }, objectKey);
  try {
    const outcome = await ingestFile(em, principal, {
      ...incoming,
      apiKeyId: apiKeyIdOf(principal.credential),
    });
    if ('duplicateOf' in outcome) await discard();
    return outcome;
  } catch (error) {
    if (error instanceof AppError) {
      await discard();
      throw error;
    }
    // Only the response to COMMIT may have been lost.
    const created = await em.fork().findOne(StoredFile, { id: fileId, tenantId: principal.tenantId });
    if (!created) throw error;
    return { created };
  }
}
