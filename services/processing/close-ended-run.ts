import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { WorkflowNotFoundError } from '@temporalio/client';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { entries, isTerminal, type Components } from '../../domain/components.ts';
import { applyFileEvent } from '../../domain/file-events.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import { OPEN_UPLOAD_SESSION_STATUSES } from '../../domain/upload-sessions/upload-session.ts';
import type { Engine } from '../../temporal/client.ts';
import { signalFileSettled } from '../../temporal/upload-session-signals.ts';
import type { RunView } from '../../temporal/status/describe-run.ts';
import { type History, withPendingSteps } from '../../temporal/status/fetch-history.ts';
import { foldHistory, type FoldedRun } from '../../temporal/status/fold-history.ts';
import { markDue } from '../shared/due.ts';
import { endFileRun, LAST_SEQ } from './end-file-run.ts';

/**
 * Closes the row of a file whose run ended without recording it: unfinished components are closed, finished ones keep
 * their result. Notifies the upload session that waits for the file, if any.
 *
 * @param run the newest run of the file, ended, of its current generation
 * @param history of that run
 * @returns whether the row was stale
 */
export async function closeEndedRun(
  { em, engine }: { em: EntityManager; engine: Engine },
  file: StoredFile,
  run: RunView,
  history: () => Promise<History>,
): Promise<boolean> {
  const { components, timeline } = await foldEnded(file, run, history);
  const { id: fileId, tenantId, mediaType, generation, sessionId } = file;
  // A run that completes normally closes its row. If the row is still open, nothing else will close it.
  const at = new Date().toISOString();
  const reason = {
    code: 'WORKFLOW_ENDED',
    message: `the workflow is ${run.outcome} and left this unfinished`,
  };
  const unreported = file.runId === run.runId ? recordedBy(file) : {};
  const closed = {
    ...applyFileEvent(components, { type: 'run_ended_abnormally', at, reason }),
    ...unreported,
  };
  const timelineRun = withPendingSteps(timeline, run.pending);
  const changed = await em.transactional(async (tx) => {
    // Session before file, the lock order of a cancellation.
    const session =
      sessionId &&
      (await tx.findOne(
        UploadSession,
        { id: sessionId, tenantId, status: { $in: [...OPEN_UPLOAD_SESSION_STATUSES] } },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      ));
    // The run may have closed its row meanwhile, which then wins.
    const open = await tx.findOne(
      StoredFile,
      { id: fileId, tenantId, generation, primaryStatus: { $in: OPEN_STATUSES } },
      { lockMode: LockMode.PESSIMISTIC_WRITE, fields: ['id'] },
    );
    if (!open) return false;
    await endFileRun(
      tx,
      { fileId, tenantId, mediaType, generation, seq: LAST_SEQ, components: closed },
      timelineRun,
    );
    if (session) markDue(session);
    return true;
  });
  if (changed && sessionId) await signalFileSettled(engine, { id: sessionId, tenantId }, fileId, generation);
  return changed;
}

/** Components that the run has ended in its row; an interrupted fast path may not have reported them. */
function recordedBy({ components }: StoredFile): Components {
  return Object.fromEntries(entries(components).filter(([, { status }]) => isTerminal(status)));
}

/** The run from its history or, if that is gone, from describe and the row. */
async function foldEnded(
  file: StoredFile,
  run: RunView,
  history: () => Promise<History>,
): Promise<Pick<FoldedRun, 'components' | 'timeline'>> {
  try {
    return foldHistory(await history(), run.runId);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    const at = new Date().toISOString();
    const reason = {
      code: 'WORKFLOW_LOST',
      message: `the workflow is ${run.outcome} and its history is gone`,
    };
    return {
      components: applyFileEvent(file.components, { type: 'run_ended_abnormally', at, reason }),
      timeline: {
        generation: run.generation,
        runId: run.runId,
        startedAt: file.updatedAt.toISOString(),
        endedAt: at,
        outcome: run.outcome,
        reason,
        steps: [],
      },
    };
  }
}
