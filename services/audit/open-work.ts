import { describeWorkflowRun } from '../../temporal/status/describe-workflow-run.ts';
import { ALL_WORK } from '../all-work.ts';
import type { ReconcileTarget } from '../shared/define-work.ts';
import { type AuditDeps, type Invariant, inspect } from './invariant.ts';

const DEADLINE_MS = 10_000;
const PAGE = 500;

/** Excludes rows that the sweep will start, and files queued in an open session: they will get a workflow. */
export const openWork: Invariant = {
  id: 'I11',
  title:
    'every open file, session, upload, import, export, answer and webhook delivery has a running workflow or is due in the sweep',
  async *check({ em, engine }) {
    for (const target of ALL_WORK) {
      yield* inspect(runningRows(em, target), async (id) => {
        const run = await describeWorkflowRun(engine, target.workflow.of(id), DEADLINE_MS);
        if (!run) return `${target.noun} ${id} is open and has no workflow`;
        return run.outcome === 'running'
          ? undefined
          : `${target.noun} ${id} is open, its workflow ${run.outcome}`;
      });
    }
  },
};

async function* runningRows(em: AuditDeps['em'], target: ReconcileTarget): AsyncIterable<string> {
  for await (const page of target.findRunning(em, { limit: PAGE })) yield* page;
}
