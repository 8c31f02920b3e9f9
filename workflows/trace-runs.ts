import {
  ContinueAsNew,
  isCancellation,
  proxySinks,
  workflowInfo,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import type { EndedRun } from '../domain/tracing.ts';
import { idsIn, isSampled, readTrace, traceHeader, type TraceSinks } from '../temporal/contract/traces.ts';

const { traces } = proxySinks<TraceSinks>();

/**
 * Passes the trace in the header of a run on to all that the run starts, and tells of its end. What a run does is the same
 * with and without a trace: promises are returned as they are, since one more turn of the event loop would change the order
 * of commands, and no random number is taken. So histories of either kind replay, and traces can be switched on and off
 * while workflows are running. (631)
 */
export function interceptors(): WorkflowInterceptors {
  /** Names the span of this run; encoded once, for all that it starts. */
  let own: ReturnType<typeof traceHeader> | undefined;
  const traced = <Input extends { headers: NonNullable<typeof own> }>(input: Input): Input =>
    own ? { ...input, headers: { ...input.headers, ...own } } : input;

  return {
    inbound: [
      {
        execute(input, next) {
          const parent = readTrace(input.headers);
          if (!parent) return next(input);
          const { runId, runStartTime } = workflowInfo();
          const spanId = spanIdOf(runId);
          own = traceHeader({ ...parent, spanId });
          const run = next(input);
          if (!isSampled(parent)) return run;
          const told = { parent, spanId, startedAt: runStartTime.getTime(), fields: idsIn(input.args) };
          const tell = (outcome: EndedRun['outcome']) =>
            traces.runEnded({ ...told, endedAt: Date.now(), outcome });
          void run.then(
            () => tell('completed'),
            (error: unknown) => tell(outcomeOf(error)),
          );
          return run;
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(traced(input)),
        scheduleLocalActivity: (input, next) => next(traced(input)),
        startChildWorkflowExecution: (input, next) => next(traced(input)),
        continueAsNew: (input, next) => next(traced(input)),
      },
    ],
  };
}

function outcomeOf(error: unknown): EndedRun['outcome'] {
  if (error instanceof ContinueAsNew) return 'continued';
  return isCancellation(error) ? 'cancelled' : 'failed';
}

/** The end of the run's UUID, which is random: the same at each replay, and on each worker. */
function spanIdOf(runId: string): string {
  return runId.replaceAll('-', '').slice(-16);
}
