import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import type { Engine } from '../client.ts';

export type QueueKind = 'activity' | 'workflow';

/** When a worker last polled a queue; undefined when the engine knows no poller. */
export type LastPollOf = (queue: string, kind: QueueKind) => Promise<Date | undefined>;

/**
 * Looks up the pollers of task queues, each queue once: callers that check many files share one instance.
 *
 * @throws EngineUnavailable (from the function returned) after `milliseconds`
 */
export function createLastPollOf(engine: Engine, milliseconds: number): LastPollOf {
  const asked = new Map<string, Promise<Date | undefined>>();
  return (queue, kind) => {
    const key = `${kind} ${queue}`;
    const answer = asked.get(key) ?? lastPoll(engine, queue, kind, milliseconds);
    asked.set(key, answer);
    return answer;
  };
}

async function lastPoll(
  engine: Engine,
  queue: string,
  kind: QueueKind,
  milliseconds: number,
): Promise<Date | undefined> {
  const { TASK_QUEUE_TYPE_ACTIVITY, TASK_QUEUE_TYPE_WORKFLOW } = proto.temporal.api.enums.v1.TaskQueueType;
  const { pollers } = await engine.within(milliseconds, ({ workflowService, options }) =>
    workflowService.describeTaskQueue({
      namespace: options.namespace,
      taskQueue: { name: queue },
      taskQueueType: kind === 'activity' ? TASK_QUEUE_TYPE_ACTIVITY : TASK_QUEUE_TYPE_WORKFLOW,
    }),
  );
  const times = pollers.map(({ lastAccessTime }) => optionalTsToDate(lastAccessTime)?.getTime() ?? 0);
  return times.length > 0 ? new Date(Math.max(...times)) : undefined;
}
