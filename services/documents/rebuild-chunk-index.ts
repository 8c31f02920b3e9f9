import type { EntityManager } from '@mikro-orm/postgresql';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { AppError } from '../../domain/app-error.ts';
import { isTerminalPrimary } from '../../domain/primary-status.ts';
import type { Engine } from '../../temporal/client.ts';
import { retryFile } from '../processing/retry-file.ts';
import { startFileWork } from '../processing/start-file-work.ts';
import { removeDeleted, type RebuiltPage } from '../media/index-entries.ts';
import { indexDocument, markMissing, type ChunkIndexDeps } from './index-chunks.ts';

/** Documents of one page: a book alone may take minutes. */
const PAGE_SIZE = 10;

/**
 * Adds the chunks of the next page of live documents of all tenants to the index of the configured model, in id order.
 * Those that the index has are left alone. Of a document whose digitization has failed, that is run again: only its
 * workflow can tell that it is completed. Idempotent, and safe to run alongside uploads and deletions.
 */
export async function rebuildChunkPage(
  deps: ChunkIndexDeps & { engine: Engine },
  after: string | undefined,
  signal: AbortSignal,
): Promise<RebuiltPage> {
  const { em, engine, chunkVectors } = deps;
  const files = await em.find(
    StoredFile,
    { mediaType: 'document', deletedAt: null, ...(after !== undefined && { id: { $gt: after } }) },
    { orderBy: { id: 'asc' }, limit: PAGE_SIZE, refresh: true },
  );
  let indexed = 0;
  for (const file of files) {
    const { id, tenantId, components } = file;
    // Also for one that is run again: its run indexes what its rows do not claim.
    await markMissing(deps, { id, tenantId });
    // Where the text was not read either, a retry would read and charge the document again.
    if (components.digitization?.status === 'failed' && components.text_extraction?.status === 'completed') {
      await digitizeAgain({ em: em.fork(), engine }, file);
      continue;
    }
    indexed += await indexDocument(deps, { id, tenantId }, signal);
  }
  const targets = files.map(({ id: fileId, tenantId }) => ({ fileId, tenantId }));
  if (targets.length > 0) await removeDeleted({ em, vectors: chunkVectors }, targets);
  const last = files.at(-1);
  return { indexed, ...(files.length === PAGE_SIZE && last && { after: last.id }) };
}

async function digitizeAgain(
  { em, engine }: { em: EntityManager; engine: Engine },
  { id, tenantId, primaryStatus }: StoredFile,
): Promise<void> {
  if (!isTerminalPrimary(primaryStatus)) return;
  const { tier } = await em.findOneOrFail(Tenant, tenantId);
  const file = await em.findOneOrFail(StoredFile, id);
  try {
    const reopened = await retryFile(em, { tenantId, tier }, file, ['digitization']);
    await startFileWork({ em, engine }, reopened.file, 'bulk');
  } catch (error) {
    // Retried or deleted meanwhile, or its account has no credits: no reason to leave out the documents of others.
    if (!(error instanceof AppError)) throw error;
  }
}
