import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { applyFastPath, timelineOfEnded, type FastPathResult } from '../../../domain/fast-path.ts';
import { isTerminalPrimary, primaryStatus } from '../../../domain/primary-status.ts';
import { lockFile } from '../../files/lock-file.ts';
import { saveRunEnd } from '../end-file-run.ts';
import type { FileTarget } from '../file-target.ts';
import type { StepResult } from '../record-step.ts';

/** The file that a fast path works on, and the run that has just begun it. */
export interface FastPathTarget extends FileTarget {
  runId: string;
  /** Of the row since this run has begun. */
  seq: number;
  /** The provider whose model is to describe the file. */
  visionProvider: string;
  /** ISO 8601. Start of the run. */
  runStartedAt: string;
  /** ISO 8601. When this activity was scheduled. */
  scheduledAt: string;
}

/**
 * Writes everything that a fast path has made: the results of its steps, the components, and, if nothing is left, the
 * end of the run.
 *
 * @returns false, and writes nothing, when the file was deleted meanwhile or is no longer this run's to write
 */
export async function recordFastPath(
  em: EntityManager,
  target: FastPathTarget,
  made: FastPathResult,
  results: readonly StepResult[],
): Promise<boolean> {
  const { fileId, tenantId, generation, seq, runId, runStartedAt, scheduledAt } = target;
  return em.transactional(async (tx) => {
    const current = await lockFile(tx, tenantId, fileId);
    if (!current || current.deletedAt || current.generation !== generation) return false;
    // Another run of this generation, the reconciler, or what settles this fast path has taken over.
    if (current.runId !== runId || current.seq !== seq) return false;

    const { mediaType } = current;
    const components = applyFastPath(current, made);
    const status = primaryStatus(components);
    const now = new Date();
    await tx.nativeUpdate(
      StoredFile,
      { id: fileId },
      {
        ...Object.assign({}, ...results.map(({ changes }) => changes?.(current))),
        seq: seq + 1,
        components,
        primaryStatus: status,
        updatedAt: now,
      },
    );
    for (const { save } of results) await save?.(tx);
    if (isTerminalPrimary(status)) {
      const run = {
        generation,
        runId,
        startedAt: runStartedAt,
        endedAt: now.toISOString(),
        outcome: 'completed' as const,
        steps: timelineOfEnded(mediaType, made.ended, scheduledAt),
      };
      await saveRunEnd(tx, { fileId, tenantId, generation, components, mediaType }, run, { replace: true });
    }
    return true;
  });
}
