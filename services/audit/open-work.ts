import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import type { Invariant } from './invariant.ts';
import { inspect, walkFiles } from './walk.ts';

const DEADLINE_MS = 10_000;

export const openWork: Invariant = {
  id: 'I11',
  title: 'every open file has a running workflow or waits in the sweep',
  async *check(deps) {
    const open = walkFiles(deps, { primaryStatus: { $in: OPEN_STATUSES }, deletedAt: null });
    yield* inspect(open, async (file) => {
      // The sweep looks for exactly these.
      if (!file.workflowStartedAt) return undefined;
      const run = await describeRun(deps.engine, file.id, DEADLINE_MS);
      if (!run) return `file ${file.id} is ${file.primaryStatus} and has no workflow`;
      if (run.outcome !== 'running')
        return `file ${file.id} is ${file.primaryStatus}, its workflow ${run.outcome}`;
      return undefined;
    });
  },
};
