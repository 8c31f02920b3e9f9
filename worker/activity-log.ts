import type { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import type { Logger } from 'pino';
import { Counter, Histogram } from 'prom-client';
import { describeSpan } from '../domain/tracing.ts';
import { isExpected } from '../temporal/contract/failures.ts';
import { idsIn } from '../temporal/contract/traces.ts';

const seconds = new Histogram({
  name: 'darkroom_activity_seconds',
  help: 'Duration of activity attempts',
  labelNames: ['activity', 'queue', 'outcome'],
  buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60],
});

const failures = new Counter({
  name: 'darkroom_activity_failures_total',
  help: 'Failed attempts of activities, by the code of the error; all but the permanent ones are retried',
  labelNames: ['activity', 'queue', 'code', 'permanent'],
});

/** One log line, one observation and the fields of the span for each attempt of an activity, with the ids of its workflow. */
export function activityLog(log: Logger): (context: Context) => ActivityInterceptors {
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        const began = performance.now();
        const work = idsIn(input.args);
        const ids = {
          activity: info.activityType,
          queue: info.taskQueue,
          attempt: info.attempt,
          workflow_id: info.workflowExecution?.workflowId,
          run_id: info.workflowExecution?.runId,
          tenant_id: work.tenant_id,
        };
        describeSpan({
          ...work,
          queue: info.taskQueue,
          attempt: info.attempt,
          waited_ms: Date.now() - info.currentAttemptScheduledTimestampMs,
        });
        const done = (outcome: string) => {
          const elapsed = performance.now() - began;
          seconds.observe({ activity: info.activityType, queue: info.taskQueue, outcome }, elapsed / 1000);
          return { ...ids, outcome, duration_ms: Math.round(elapsed) };
        };
        try {
          const result = await next(input);
          log.info(done('completed'), 'activity completed');
          return result;
        } catch (error) {
          if (isExpected(error)) log.info({ ...done('expected'), err: error }, 'activity attempt ended');
          else {
            log.warn({ ...done('failed'), err: error }, 'activity attempt failed');
            failures.inc({ activity: info.activityType, queue: info.taskQueue, ...codeOf(error) });
          }
          throw error;
        }
      },
    },
  });
}

/** Codes are our own; other errors, of which there is no bounded list, count as one. */
function codeOf(error: unknown): { code: string; permanent: string } {
  return error instanceof ApplicationFailure
    ? { code: error.type ?? 'UNKNOWN', permanent: String(error.nonRetryable === true) }
    : { code: 'UNKNOWN', permanent: 'false' };
}
