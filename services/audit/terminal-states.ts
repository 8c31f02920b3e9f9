import { WorkflowNotFoundError } from '@temporalio/client';
import { entries } from '../../domain/components.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';
import { fetchFoldedRun } from '../../temporal/status/fetch-history.ts';
import type { Invariant } from './invariant.ts';
import { inspect, walkFiles } from './walk.ts';

const DEADLINE_MS = 10_000;

export const terminalStates: Invariant = {
  id: 'I5',
  title: 'the terminal state of every file matches its workflow history',
  async *check(deps) {
    const ended = walkFiles(deps, { primaryStatus: { $nin: OPEN_STATUSES }, deletedAt: null });
    yield* inspect(ended, async (file) => {
      const run = await describeRun(deps.engine, file.id, DEADLINE_MS);
      if (!run) return undefined;
      if (run.outcome === 'running') return `file ${file.id} has ended, its workflow is still running`;
      const folded = await fetchFoldedRun(deps.engine, file.id, run.runId, DEADLINE_MS).catch(unlessExpired);
      if (!folded || folded.superseded || run.generation !== file.generation) return undefined;
      const differing = entries(file.components).filter(
        ([name, { status }]) => folded.components[name]?.status !== status,
      );
      if (differing.length === 0) return undefined;
      return `file ${file.id} differs from its history in ${differing.map(([name]) => name).join(', ')}`;
    });
  },
};

function unlessExpired(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
