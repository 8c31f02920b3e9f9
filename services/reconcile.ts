import type { EntityManager } from '@mikro-orm/postgresql';
import { ReconcilerCursor } from '../db/entities/reconciler-cursor.ts';
import { StoredFile } from '../db/entities/stored-file.ts';
import { OPEN_STATUSES } from '../domain/primary-status.ts';
import type { Engine } from '../temporal/client.ts';
import { parseFileWorkflowId } from '../temporal/contract/ids.ts';
import { PROCESS_FILE } from '../temporal/contract/process-file.ts';
import { describeRun } from '../temporal/describe-run.ts';
import { applyVerdict } from './apply-verdict.ts';
import { outage } from './outage.ts';
import { reconcileUploads } from './reconcile-uploads.ts';

const CURSOR_ID = 1;
/** Visibility may lag behind the close of a run by a little; what was seen already costs one query. */
const OVERLAP_MS = 60_000;
const LIST_DEADLINE_MS = 5000;
const DESCRIBE_DEADLINE_MS = 2000;

export interface ReconcileDeps {
  em: EntityManager;
  engine: Engine;
  /** Told of a file whose verdict could not be brought to its row. */
  onError: (error: unknown, fileId: string) => void;
}

/**
 * One round of the reconciler: finds runs that were terminated, timed out, cancelled or failed, and brings their
 * verdict to rows that still show them as open. Needs no worker. Only one process does a round at a time; for the
 * others it does nothing.
 *
 * @returns how many files and uploads changed
 * @throws when engine or database are away; the next round begins where the last good one ended
 */
export async function reconcile(deps: ReconcileDeps): Promise<number> {
  return deps.em.transactional(async (tx) => {
    const [turn] = await tx.execute<{ mine: boolean }[]>(
      `select pg_try_advisory_xact_lock(hashtextextended('reconciler', 0)) as mine`,
    );
    if (!turn?.mine) return 0;
    const cursor = await tx.findOne(ReconcilerCursor, CURSOR_ID);
    const startedAt = new Date();
    const since = new Date(Math.max(0, (cursor?.closedUntil.getTime() ?? 0) - OVERLAP_MS));
    const closed = await listEndedFiles(deps.engine, since);
    const changed = (await settleOpenFiles(deps, closed)) + (await reconcileUploads(deps, since));
    await tx.upsert(ReconcilerCursor, { id: CURSOR_ID, closedUntil: startedAt });
    return changed;
  });
}

/** File ids of runs that closed otherwise than by completing. */
async function listEndedFiles(engine: Engine, since: Date): Promise<string[]> {
  const query =
    `WorkflowType = '${PROCESS_FILE}' AND ExecutionStatus IN ('Terminated', 'TimedOut', 'Failed', 'Canceled') ` +
    `AND CloseTime > '${since.toISOString()}'`;
  return engine.within(LIST_DEADLINE_MS, async (client) => {
    const ids = new Set<string>();
    for await (const { workflowId } of client.workflow.list({ query })) {
      const fileId = parseFileWorkflowId(workflowId);
      if (fileId) ids.add(fileId);
    }
    return [...ids];
  });
}

async function settleOpenFiles(deps: ReconcileDeps, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const em = deps.em.fork();
  const open = await em.find(StoredFile, {
    id: { $in: ids },
    primaryStatus: { $in: OPEN_STATUSES },
  });
  let changed = 0;
  for (const file of open) {
    try {
      // The newest run decides: the one that was listed may have been reset or retried since.
      const run = await describeRun(deps.engine, file.id, DESCRIBE_DEADLINE_MS);
      if (run && (await applyVerdict({ em, engine: deps.engine }, file, run))) changed += 1;
    } catch (error) {
      if (outage(error)) throw error;
      // One file whose verdict cannot be written must not keep it from all others; the search for lost work returns to it.
      deps.onError(error, file.id);
    }
  }
  return changed;
}
