import type { EntityManager } from '@mikro-orm/postgresql';
import { ReconcilerCursor } from '../../db/entities/recovery/reconciler-cursor.ts';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { OPEN_INTENT_STATUSES } from '../../domain/uploads/upload-intent.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import type { Engine } from '../../temporal/client.ts';
import { BATCH_SESSION } from '../../temporal/contract/batch-session.ts';
import { DIRECT_UPLOAD } from '../../temporal/contract/direct-upload.ts';
import {
  parseDirectUploadWorkflowId,
  parseFileWorkflowId,
  parseSessionWorkflowId,
} from '../../temporal/contract/ids.ts';
import { PROCESS_FILE } from '../../temporal/contract/process-file.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { applyVerdict } from '../processing/apply-verdict.ts';
import { reconcileUploadSession } from '../upload-sessions/reconcile-upload-session.ts';
import { dismissFiles } from '../upload-sessions/dismiss-files.ts';
import { outage } from '../shared/outage.ts';
import { reconcileDirectUpload } from '../uploads/direct/reconcile-direct-upload.ts';

const CURSOR_ID = 1;
/** Visibility may lag behind the close of a run by a little; what was seen already costs one query. */
const OVERLAP_MS = 60_000;
const LIST_DEADLINE_MS = 5000;
const DESCRIBE_DEADLINE_MS = 2000;

export interface ReconcileDeps {
  em: EntityManager;
  engine: Engine;
  /** Told of a row, by its id, to which the verdict could not be brought. */
  onError: (error: unknown, id: string) => void;
}

/**
 * One round of the reconciler: finds runs that were terminated, timed out, cancelled or failed, and brings their
 * verdict to rows that still show them as open. Needs no worker. Only one process does a round at a time; for the
 * others it does nothing.
 *
 * @returns how many files, sessions and uploads changed
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
    const files = await listEnded(deps.engine, PROCESS_FILE, parseFileWorkflowId, since);
    const sessions = await listEnded(deps.engine, BATCH_SESSION, parseSessionWorkflowId, since);
    const uploads = await listEnded(deps.engine, DIRECT_UPLOAD, parseDirectUploadWorkflowId, since);
    const changed =
      (await settleOpenFiles(deps, files)) +
      (await settleOpenSessions(deps, sessions)) +
      (await settleOpenUploads(deps, uploads));
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
  const query =
    `WorkflowType = '${type}' AND ExecutionStatus IN ('Terminated', 'TimedOut', 'Failed', 'Canceled') ` +
    `AND CloseTime > '${since.toISOString()}'`;
  return engine.within(LIST_DEADLINE_MS, async (client) => {
    const ids = new Set<string>();
    for await (const { workflowId } of client.workflow.list({ query })) {
      const id = parse(workflowId);
      if (id) ids.add(id);
    }
    return [...ids];
  });
}

async function settleOpenFiles(deps: ReconcileDeps, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const em = deps.em.fork();
  const open = await em.find(StoredFile, { id: { $in: ids }, primaryStatus: { $in: OPEN_STATUSES } });
  return settleEach(open, deps.onError, async (file) => {
    // The newest run decides: the one that was listed may have been reset or retried since.
    const run = await describeRun(deps.engine, file.id, DESCRIBE_DEADLINE_MS);
    return run !== undefined && applyVerdict({ em, engine: deps.engine }, file, run);
  });
}

async function settleOpenSessions(deps: ReconcileDeps, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const work = { em: deps.em.fork(), engine: deps.engine };
  const sessions = await work.em.find(UploadSession, { id: { $in: ids } });
  return settleEach(sessions, deps.onError, async (session) => {
    // Its workflow may have been ended before it could stop the files.
    if (session.status === 'cancelled') await dismissFiles(work, session, DESCRIBE_DEADLINE_MS);
    return reconcileUploadSession(work, session, DESCRIBE_DEADLINE_MS);
  });
}

async function settleOpenUploads(deps: ReconcileDeps, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const em = deps.em.fork();
  const open = await em.find(UploadIntent, { id: { $in: ids }, status: { $in: OPEN_INTENT_STATUSES } });
  return settleEach(open, deps.onError, (intent) =>
    reconcileDirectUpload({ em, engine: deps.engine }, intent, DESCRIBE_DEADLINE_MS),
  );
}

/** One row whose verdict cannot be written must not keep it from all others; a later look returns to it. */
async function settleEach<T extends { id: string }>(
  rows: readonly T[],
  onError: ReconcileDeps['onError'],
  settle: (row: T) => Promise<boolean>,
): Promise<number> {
  let changed = 0;
  for (const row of rows) {
    try {
      if (await settle(row)) changed += 1;
    } catch (error) {
      if (outage(error)) throw error;
      onError(error, row.id);
    }
  }
  return changed;
}
