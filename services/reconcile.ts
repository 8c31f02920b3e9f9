import type { EntityManager } from '@mikro-orm/postgresql';
import { ReconcilerCursor } from '../db/entities/reconciler-cursor.ts';
import { UploadSession } from '../db/entities/upload-session.ts';
import { OPEN_SESSION_STATUSES } from '../domain/session.ts';
import { StoredFile } from '../db/entities/stored-file.ts';
import type { Engine } from '../temporal/client.ts';
import { BATCH_SESSION } from '../temporal/contract/batch-session.ts';
import { parseFileWorkflowId, parseSessionWorkflowId } from '../temporal/contract/ids.ts';
import { PROCESS_FILE } from '../temporal/contract/process-file.ts';
import { describeRun } from '../temporal/describe-run.ts';
import { applyVerdict } from './apply-verdict.ts';
import { checkSessionRun } from './check-session-run.ts';

const CURSOR_ID = 1;
/** Visibility may lag behind the close of a run by a little; what was seen already costs one query. */
const OVERLAP_MS = 60_000;
const LIST_DEADLINE_MS = 5000;
const DESCRIBE_DEADLINE_MS = 2000;

/**
 * One round of the reconciler: finds runs that were terminated, timed out, cancelled or failed, and brings their
 * verdict to rows that still show them as open. Needs no worker. Only one process does a round at a time; for the
 * others it does nothing.
 *
 * @returns how many files and sessions changed
 * @throws EngineUnavailable; the next round begins where the last good one ended
 */
export async function reconcile(deps: { em: EntityManager; engine: Engine }): Promise<number> {
  return deps.em.transactional(async (tx) => {
    const [turn] = await tx.execute<{ mine: boolean }[]>(
      `select pg_try_advisory_xact_lock(hashtextextended('reconciler', 0)) as mine`,
    );
    if (!turn?.mine) return 0;
    const cursor = await tx.findOne(ReconcilerCursor, CURSOR_ID);
    const startedAt = new Date();
    const since = new Date((cursor?.closedUntil.getTime() ?? 0) - OVERLAP_MS);
    const files = await listEnded(deps.engine, PROCESS_FILE, parseFileWorkflowId, since);
    const sessions = await listEnded(deps.engine, BATCH_SESSION, parseSessionWorkflowId, since);
    const changed = (await settleOpenFiles(deps, files)) + (await settleOpenSessions(deps, sessions));
    await tx.upsert(ReconcilerCursor, { id: CURSOR_ID, closedUntil: startedAt });
    return changed;
  });
}

/** What runs of one type that closed otherwise than by completing were for. */
async function listEnded(
  engine: Engine,
  type: string,
  parse: (workflowId: string) => string | undefined,
  since: Date,
): Promise<string[]> {
  const after = new Date(Math.max(0, since.getTime())).toISOString();
  const query =
    `WorkflowType = '${type}' AND ExecutionStatus IN ('Terminated', 'TimedOut', 'Failed', 'Canceled') ` +
    `AND CloseTime > '${after}'`;
  return engine.within(LIST_DEADLINE_MS, async (client) => {
    const ids = new Set<string>();
    for await (const { workflowId } of client.workflow.list({ query })) {
      const id = parse(workflowId);
      if (id) ids.add(id);
    }
    return [...ids];
  });
}

async function settleOpenFiles(deps: { em: EntityManager; engine: Engine }, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const em = deps.em.fork();
  const open = await em.find(StoredFile, {
    id: { $in: ids },
    primaryStatus: { $in: ['pending', 'processing'] },
  });
  let changed = 0;
  for (const file of open) {
    // The newest run decides: the one that was listed may have been reset or retried since.
    const run = await describeRun(deps.engine, file.id, DESCRIBE_DEADLINE_MS);
    if (run && (await applyVerdict({ em, engine: deps.engine }, file, run))) changed += 1;
  }
  return changed;
}

async function settleOpenSessions(
  deps: { em: EntityManager; engine: Engine },
  ids: string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  const em = deps.em.fork();
  const open = await em.find(UploadSession, {
    id: { $in: ids },
    status: { $in: [...OPEN_SESSION_STATUSES] },
  });
  let changed = 0;
  for (const session of open) {
    if (await checkSessionRun({ em, engine: deps.engine }, session, DESCRIBE_DEADLINE_MS)) changed += 1;
  }
  return changed;
}
