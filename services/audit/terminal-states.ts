import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { entries } from '../../domain/components.ts';
import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import type { Engine } from '../../temporal/client.ts';
import { describeRun, type RunView } from '../../temporal/status/describe-run.ts';
import { fetchFoldedRun } from '../../temporal/status/fetch-history.ts';
import type { Invariant } from './invariant.ts';
import { inspect, walkFiles } from './walk.ts';

const DEADLINE_MS = 10_000;
/**
 * A worker that died may have recorded the last step of a file without reporting it, and the task that ends its workflow
 * may have been sent to one that died: the engine notices both after ten seconds.
 */
const ENDS_WITHIN_MS = 60_000;
const POLL_MS = 500;

export const terminalStates: Invariant = {
  id: 'I5',
  title: 'the terminal state of every file matches its workflow history',
  async *check(deps) {
    const ended = walkFiles(deps, { primaryStatus: { $nin: OPEN_STATUSES }, deletedAt: null });
    yield* inspect(ended, async (file) => {
      const run = await describeEnded(deps.engine, file);
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

/** The newest run of a file that has ended, ended as well, or still running although it had the time to end. */
async function describeEnded(engine: Engine, { id, components }: StoredFile): Promise<RunView | undefined> {
  const endedAt = Math.max(0, ...entries(components).map(([, part]) => Date.parse(part.endedAt ?? '') || 0));
  for (;;) {
    const run = await describeRun(engine, id, DEADLINE_MS);
    if (run?.outcome !== 'running' || Date.now() > endedAt + ENDS_WITHIN_MS) return run;
    await delay(POLL_MS);
  }
}

function unlessExpired(error: unknown): undefined {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
