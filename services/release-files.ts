import type { EntityManager } from '@mikro-orm/postgresql';
import { WorkflowNotFoundError } from '@temporalio/client';
import { StoredFile } from '../db/entities/stored-file.ts';
import type { UploadSession } from '../db/entities/upload-session.ts';
import { OPEN_STATUSES } from '../domain/primary-status.ts';
import type { Engine } from '../temporal/client.ts';
import { fileWorkflowId } from '../temporal/contract/ids.ts';
import { FILE_SIGNALS } from '../temporal/contract/process-file.ts';
import type { FilePause } from '../temporal/contract/process-file.ts';

/**
 * Lets the files at work of a session go on, paused or not: its workflow is gone, and nobody else would ever resume
 * them. Safe to repeat.
 *
 * @throws EngineUnavailable after `milliseconds` a file
 */
export async function releaseFiles(
  { em, engine }: { em: EntityManager; engine: Engine },
  { id: sessionId, tenantId }: UploadSession,
  milliseconds: number,
): Promise<void> {
  const files = await em.find(StoredFile, {
    sessionId,
    tenantId,
    deletedAt: null,
    primaryStatus: { $in: OPEN_STATUSES },
    workflowStartedAt: { $ne: null },
  });
  for (const { id, generation } of files) {
    const pause: FilePause = { paused: false, generation };
    try {
      await engine.within(milliseconds, (client) =>
        client.workflow.getHandle(fileWorkflowId(id)).signal(FILE_SIGNALS.sessionPaused, pause),
      );
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }
}
