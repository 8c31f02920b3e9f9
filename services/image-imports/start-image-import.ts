import type { EntityManager } from '@mikro-orm/postgresql';
import { ImageImport } from '../../db/entities/uploads/image-import.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { startImportImage } from '../../temporal/starters/import-image.ts';

/** Starts the workflow of an import. Idempotent; if the engine is unreachable, the sweep retries. */
export async function startImageImport(
  { em, engine }: { em: EntityManager; engine: Engine },
  { id, tenantId, engineDueAt }: ImageImport,
): Promise<void> {
  try {
    await startImportImage(engine, { fileId: id, tenantId });
  } catch (error) {
    if (error instanceof EngineUnavailable) return;
    throw error;
  }
  await em.nativeUpdate(ImageImport, { id, engineDueAt }, { engineDueAt: null });
}
