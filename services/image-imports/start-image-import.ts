import type { EntityManager } from '@mikro-orm/postgresql';
import { ImageImport } from '../../db/entities/uploads/image-import.ts';
import type { Engine } from '../../temporal/client.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';

/** Starts the workflow of an import. Idempotent; if the engine is unreachable, the sweep retries. */
export async function startImageImport(
  { em, engine }: { em: EntityManager; engine: Engine },
  { id, tenantId, engineDueAt }: ImageImport,
): Promise<void> {
  const started = await ifReachable(engine, { tenant_id: tenantId, file_id: id }, async () => {
    await startWorkflow(engine, 'importImage', { fileId: id, tenantId });
    return true;
  });
  if (!started) return;
  await em.nativeUpdate(ImageImport, { id, engineDueAt }, { engineDueAt: null });
}
