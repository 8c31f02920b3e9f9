import { Runtime, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastPathInput } from '../../activities/fast-path.ts';
import { createImageActivities } from '../../activities/image-activities.ts';
import { createLocalVision } from '../../adapters/models/vision/local-vision.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { QUEUES } from '../../temporal/contract/queues.ts';
import { openWorkerDeps } from '../../worker/deps.ts';
import { WORKER_SETTINGS } from '../../worker/settings.ts';

/**
 * A worker of the `cpu` queue that prints the id of a file and stalls forever when the fast path of the file reaches a
 * given point.
 *
 * Argument: JSON of points by file id: a step, which is done but not reported, or `recorded`.
 */
const parts = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>;
const config = readConfig(WORKER_SETTINGS, process.env);
const { deps } = await openWorkerDeps(config);
const vision = createLocalVision(deps.text);
const current = new AsyncLocalStorage<string>();

async function stallAfter<T>(part: string, work: Promise<T>): Promise<T> {
  const result = await work;
  const fileId = current.getStore() ?? '';
  if (parts[fileId] !== part) return result;
  console.log(fileId);
  return new Promise<T>(() => undefined);
}

const { decoder, recogniser, vectors } = deps;
const { makeImage } = createImageActivities({
  ...deps,
  decoder: { ...decoder, render: (...args) => stallAfter('renderVariants', decoder.render(...args)) },
  recogniser: { ...recogniser, hasText: (...args) => stallAfter('readText', recogniser.hasText(...args)) },
  vision: { ...vision, describe: (...args) => stallAfter('describeImage', vision.describe(...args)) },
  vectors: { ...vectors, upsert: (points) => stallAfter('indexImage', vectors.upsert(points)) },
});

Runtime.install({ logger: new DefaultLogger('ERROR') });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: config.TEMPORAL_ADDRESS }),
  namespace: config.TEMPORAL_NAMESPACE,
  taskQueue: QUEUES.cpu,
  activities: {
    makeImage: (input: FastPathInput) =>
      current.run(input.fileId, () =>
        stallAfter('recorded', makeImage({ ...input, visionProvider: vision.provider })),
      ),
  },
  maxConcurrentActivityTaskExecutions: 10,
  maxHeartbeatThrottleInterval: '1 s',
});
await worker.run();
