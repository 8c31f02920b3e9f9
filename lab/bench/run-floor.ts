import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Worker, NativeConnection } from '@temporalio/worker';
import type { Engine } from '../../temporal/client.ts';
import { workerConfig } from '../../worker/config.ts';
import { cpuSlots } from '../../worker/queues.ts';
import { bareSession, FLOOR_QUEUE } from './bare-session.ts';
import type { BareActivities } from './bare-workflow.ts';

const WORKFLOWS = fileURLToPath(new URL('./bare-session.ts', import.meta.url));

/**
 * Runs the worker of the bare session in this process.
 *
 * @returns `run` executes a session of `count` files, `stop` shuts the worker down
 */
export async function createFloor(address: string, engine: Engine) {
  const connection = await NativeConnection.connect({ address });
  const nothing = async () => undefined;
  const activities: BareActivities = { note: nothing, render: nothing };
  const worker = await Worker.create({
    connection,
    taskQueue: FLOOR_QUEUE,
    workflowsPath: WORKFLOWS,
    activities,
    maxConcurrentActivityTaskExecutions: cpuSlots(workerConfig.parse({})),
  });
  const running = worker.run();
  return {
    async run(count: number): Promise<void> {
      const workflowId = `bench/${randomUUID()}`;
      await engine.client.workflow.execute(bareSession, {
        workflowId,
        taskQueue: FLOOR_QUEUE,
        args: [workflowId, count],
      });
    },
    async stop(): Promise<void> {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
