import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { isTerminal } from '../../../domain/components.ts';
import { applyFastPath, timelineOfEnded, type FastPathResult } from '../../../domain/fast-path.ts';
import { isTerminalPrimary, primaryStatus } from '../../../domain/primary-status.ts';
import { componentsOf, stepsOf } from '../../../domain/pipelines/index.ts';
import { lockFile } from '../../files/lock-file.ts';
import { saveRunEnd } from '../end-file-run.ts';
import type { StepResult } from '../steps/record-step.ts';
import type { FastPathTarget } from './fast-path-target.ts';

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
    // Another run of this generation, or the reconciler, has taken over.
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

/**
 * What an earlier attempt of a fast path has recorded, for one that vanished before it could say so: steps of the
 * components that the row shows as ended. Steps of a component that is still open are left to be repeated.
 */
export async function findRecordedSteps(
  em: EntityManager,
  { fileId, tenantId, generation, runId, seq, scheduledAt }: FastPathTarget,
): Promise<FastPathResult> {
  // Each later write of the run, or of the reconciler, has a higher seq.
  const file = await em.findOne(StoredFile, { id: fileId, tenantId, generation, runId, seq: seq + 1 });
  if (!file) return { ended: [] };
  const ended = componentsOf(file.mediaType).flatMap(({ name }) => {
    const state = file.components[name];
    if (!state || !isTerminal(state.status) || !state.endedAt || state.status === 'skipped') return [];
    const { queuedAt: startedAt = scheduledAt, endedAt, error } = state;
    const steps = stepsOf(file.mediaType, name).map(({ activity: step }) => ({ step, startedAt, endedAt }));
    // Which of several steps failed is not in the row; the first one explains the component as well.
    return error && steps[0] ? [{ ...steps[0], error }] : steps;
  });
  const begun = componentsOf(file.mediaType).find(
    ({ name }) => file.components[name]?.status === 'processing',
  );
  if (!begun) return { ended };
  const startedAt = file.components[begun.name]?.queuedAt ?? scheduledAt;
  return { ended, left: { step: begun.steps[0].activity, startedAt } };
}
