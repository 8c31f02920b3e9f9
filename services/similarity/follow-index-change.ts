import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { imageIndexWorkflowId } from '../../temporal/contract/ids.ts';
import { PRIORITIES, QUEUES } from '../../temporal/contract/queues.ts';
import {
  INDEX_CHANGED,
  SYNC_IMAGE_INDEX,
  type SyncImageIndexInput,
} from '../../temporal/contract/sync-image-index.ts';
import { START_DEADLINE_MS } from '../shared/deadlines.ts';

/**
 * Has the similarity index follow a deletion or a restore, when it has to. A workflow that is at it already looks again.
 *
 * @returns false when the engine is out of reach; the sweep tries again, because the row says that it is due
 */
export async function followIndexChange(engine: Engine, file: StoredFile): Promise<boolean> {
  if (!file.indexDueAt) return true;
  return reach(() =>
    engine.within(START_DEADLINE_MS, (client) =>
      client.workflow.signalWithStart(SYNC_IMAGE_INDEX, { ...options(file), signal: INDEX_CHANGED }),
    ),
  );
}

/** The sweep's way: a workflow that is at it is left in peace, since a long outage must not fill its history. */
export async function startDueIndexChange(engine: Engine, file: StoredFile): Promise<boolean> {
  return reach(() =>
    engine.within(START_DEADLINE_MS, (client) =>
      client.workflow.start(SYNC_IMAGE_INDEX, {
        ...options(file),
        workflowIdConflictPolicy: 'USE_EXISTING',
      }),
    ),
  );
}

function options({ id, tenantId }: StoredFile) {
  const input: SyncImageIndexInput = { fileId: id, tenantId };
  return {
    workflowId: imageIndexWorkflowId(id),
    taskQueue: QUEUES.workflows,
    args: [input] as [SyncImageIndexInput],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    priority: { priorityKey: PRIORITIES.interactive, fairnessKey: tenantId },
    staticSummary: 'Similarity index after a deletion or a restore',
  } as const;
}

async function reach(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (error) {
    if (error instanceof EngineUnavailable) return false;
    throw error;
  }
}
