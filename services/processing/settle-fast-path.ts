import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isTerminal } from '../../domain/components.ts';
import type { FastPathResult } from '../../domain/fast-path.ts';
import { componentsOf, stepsOf } from '../../domain/pipelines/index.ts';
import { lockFile } from '../files/find-file.ts';
import type { FastPathTarget } from './fast-path.ts';

/**
 * Determines what the fast path of a run has recorded, in case it could not report that. Takes the next `seq`, so that
 * an attempt still running elsewhere can record nothing later. Idempotent.
 *
 * @returns steps of the components that the row shows as ended, and the component in progress; ended steps of the
 *   latter are repeated
 */
export async function settleFastPath(
  em: EntityManager,
  target: Pick<FastPathTarget, 'fileId' | 'tenantId' | 'generation' | 'runId' | 'seq'>,
): Promise<FastPathResult> {
  const { fileId, tenantId, generation, runId, seq } = target;
  return em.transactional(async (tx) => {
    const file = await lockFile(tx, tenantId, fileId);
    if (!file || file.generation !== generation || file.runId !== runId) return { ended: [] };
    if (file.seq === seq) await tx.nativeUpdate(StoredFile, { id: fileId }, { seq: seq + 1 });
    // Each later write of the run, or of the reconciler, has a higher seq.
    return file.seq === seq + 1 ? recordedIn(file) : { ended: [] };
  });
}

function recordedIn({ mediaType, components, updatedAt }: StoredFile): FastPathResult {
  const ended = componentsOf(mediaType).flatMap(({ name }) => {
    const state = components[name];
    if (!state || !isTerminal(state.status) || !state.endedAt || state.status === 'skipped') return [];
    const { endedAt, queuedAt: startedAt = endedAt, error } = state;
    const steps = stepsOf({ mediaType, components }, name).map(({ activity: step }) => ({
      step,
      startedAt,
      endedAt,
    }));
    // The row does not record which step failed; the first one explains the component as well.
    return error && steps[0] ? [{ ...steps[0], error }] : steps;
  });
  const begun = componentsOf(mediaType).find(({ name }) => components[name]?.status === 'processing');
  if (!begun) return { ended };
  const startedAt = components[begun.name]?.queuedAt ?? updatedAt.toISOString();
  const [first = begun.steps[0]] = stepsOf({ mediaType, components }, begun.name);
  return { ended, left: { step: first.activity, startedAt } };
}
