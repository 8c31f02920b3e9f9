import { Context } from '@temporalio/activity';
import type { VisionModels } from '../adapters/models/vision/vision-models.ts';
import type { Orm } from '../db/create-orm.ts';
import type { FastPathResult } from '../domain/fast-path.ts';
import type { RunOutcome } from '../domain/timeline.ts';
import { beginFileWork } from '../services/processing/start-file-work.ts';
import { settleFastPath } from '../services/processing/settle-fast-path.ts';
import type { FileTarget } from '../services/processing/file-target.ts';
import { endFileRun, projectFile, type FileProjection } from '../services/processing/end-file-run.ts';
import type { Engine } from '../temporal/client.ts';
import { fetchFoldedRun } from '../temporal/status/fetch-history.ts';

const HISTORY_DEADLINE_MS = 1500;

export interface ProcessingDeps {
  orm: Orm;
  engine: Engine;
  models: Pick<VisionModels, 'forTenant'>;
}

/** The input of a run at its start. */
export interface BegunRun {
  /** The row's `seq`; absent when the file is gone, closed, or belongs to another run. */
  seq?: number;
  /** Provider of the model for this file: its queue takes the calls. */
  visionProvider: string;
  /** Whether the run tries the fast path of every medium; absent in runs that began when only images had one. */
  triesFastPath?: true;
}

/** A run's writes to its file's row: local activities, or on `io` when the database is slow. */
export function createProcessingActivities({ orm, engine, models }: ProcessingDeps) {
  return {
    /** First projection of a run; without a `seq` in the result there is nothing left to do. */
    async beginFileWork(first: Omit<FileProjection, 'seq'>): Promise<BegunRun> {
      const begun = await beginFileWork(orm.em.fork(), first, thisRunId());
      const { provider } = models.forTenant(begun?.allowedVlmProviders);
      return { visionProvider: provider, triesFastPath: true, ...(begun && { seq: begun.seq }) };
    },

    /** Returns the results recorded by the fast path of this run; later ones are not recorded. */
    settleFastPath(target: FileTarget & { seq: number }): Promise<FastPathResult> {
      return settleFastPath(orm.em.fork(), { ...target, runId: thisRunId() });
    },

    async projectFile(projection: FileProjection): Promise<void> {
      await projectFile(orm.em.fork(), projection);
    },

    /** Last projection, settled credits, and the timeline, folded from the run's own history. */
    async finishFileWork(projection: FileProjection, outcome: RunOutcome): Promise<void> {
      const { input, timeline } = await fetchFoldedRun(
        engine,
        projection.fileId,
        thisRunId(),
        HISTORY_DEADLINE_MS,
      );
      const ended = { ...timeline, outcome, endedAt: new Date().toISOString() };
      await endFileRun(orm.em.fork(), { ...projection, mediaType: input.mediaType }, ended);
    },
  };
}

function thisRunId(): string {
  const { workflowExecution } = Context.current().info;
  if (!workflowExecution) throw new Error('the record of a run is written by that run');
  return workflowExecution.runId;
}
