import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadIntent } from '../db/entities/upload-intent.ts';
import type { Engine } from '../temporal/client.ts';
import { DIRECT_UPLOAD } from '../temporal/contract/direct-upload.ts';
import { parseDirectUploadWorkflowId } from '../temporal/contract/ids.ts';
import { judgeUpload } from './judge-upload.ts';

const LIST_DEADLINE_MS = 5000;
const DESCRIBE_DEADLINE_MS = 2000;

/**
 * The part of a reconciler's round that looks after uploads: those whose workflow was ended from outside are `FAILED`
 * with the reason.
 *
 * @returns how many changed
 * @throws EngineUnavailable
 */
export async function reconcileUploads(
  { em, engine }: { em: EntityManager; engine: Engine },
  since: Date,
): Promise<number> {
  const ids = await listEndedUploads(engine, since);
  if (ids.length === 0) return 0;
  const fork = em.fork();
  const open = await fork.find(UploadIntent, { id: { $in: ids }, status: { $in: ['PENDING', 'UPLOADED'] } });
  let changed = 0;
  for (const intent of open) {
    if (await judgeUpload({ em: fork, engine }, intent, DESCRIBE_DEADLINE_MS)) changed += 1;
  }
  return changed;
}

async function listEndedUploads(engine: Engine, since: Date): Promise<string[]> {
  const query =
    `WorkflowType = '${DIRECT_UPLOAD}' AND ExecutionStatus IN ('Terminated', 'TimedOut', 'Failed', 'Canceled') ` +
    `AND CloseTime > '${since.toISOString()}'`;
  return engine.within(LIST_DEADLINE_MS, async (client) => {
    const ids: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query })) {
      const uploadId = parseDirectUploadWorkflowId(workflowId);
      if (uploadId) ids.push(uploadId);
    }
    return ids;
  });
}
