import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { WorkflowNotFoundError } from '@temporalio/client';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { applyFileEvent } from '../../domain/file-events.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import type { Engine } from '../../temporal/client.ts';
import type { RunView } from '../../temporal/status/describe-run.ts';
import { readRun } from '../../temporal/status/read-run.ts';
import { withPendingSteps } from '../../temporal/status/with-pending-steps.ts';
import type { FoldedRun } from '../../temporal/status/fold-history.ts';
import { endFileRun } from './end-file-run.ts';
import { LAST_SEQ } from './project-file.ts';
import { tellFileSettled } from '../upload-sessions/tell-session.ts';

const HISTORY_DEADLINE_MS = 2000;

/**
 * Brings the engine's verdict on a run to the file's row: a run that ended without recording its own end leaves no
 * component unfinished. What the run did finish stays.
 *
 * @param run the newest run of the file, ended
 * @returns whether the row was behind
 */
export async function applyVerdict(
  { em, engine }: { em: EntityManager; engine: Engine },
  file: StoredFile,
  run: RunView,
): Promise<boolean> {
  if (run.outcome === 'running' || run.generation !== file.generation) return false;
  const { components, timeline } = await ended(engine, file, run);
  const { id: fileId, tenantId, mediaType, generation } = file;
  // A run that ended in good order has closed its row; if this one is open all the same, nobody else will.
  const at = new Date().toISOString();
  const reason = { code: 'WORKFLOW_ENDED', message: `the workflow is ${run.outcome} and left this undone` };
  const closed = applyFileEvent(components, { type: 'run_ended_abnormally', at, reason });
  const story = withPendingSteps(timeline, run.pending);
  const applied = await em.transactional(async (tx) => {
    // The run may have closed its row while we asked: what is closed stays as it is.
    const open = await tx.findOne(
      StoredFile,
      { id: fileId, tenantId, generation, primaryStatus: { $in: OPEN_STATUSES } },
      { lockMode: LockMode.PESSIMISTIC_WRITE, fields: ['id'] },
    );
    if (!open) return false;
    await endFileRun(
      tx,
      { fileId, tenantId, mediaType, generation, seq: LAST_SEQ, components: closed },
      story,
    );
    return true;
  });
  if (applied && file.sessionId) await tellFileSettled(engine, file.sessionId, fileId);
  return applied;
}

/** The run by its history; without a history, by what describe and the row still know. */
async function ended(
  engine: Engine,
  file: StoredFile,
  run: RunView,
): Promise<Pick<FoldedRun, 'components' | 'timeline'>> {
  try {
    return await readRun(engine, file.id, run.runId, HISTORY_DEADLINE_MS);
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
