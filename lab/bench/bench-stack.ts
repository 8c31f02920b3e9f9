import { setTimeout as delay } from 'node:timers/promises';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import type { Stack, StackOptions } from '../../dev/launcher/stack.ts';

/** The worker processes of a stack. */
export const WORKERS = ['worker', 'worker-cpu', 'worker-ocr'] as const;
const STOPPED_WITHIN_MS = 30_000;

/**
 * Starts a disposable stack and stops its worker processes, so that they do not compete with measurements for the CPU.
 */
export async function startBenchStack(
  env: StackOptions['env'],
  options: Pick<StackOptions, 'signal' | 'killSignal' | 'onPart'>,
): Promise<Stack> {
  const stack = await startDisposableStack({ ...env, LOG_LEVEL: 'warn' }, options);
  try {
    await stopWorkers(stack);
    return stack;
  } catch (error) {
    await stack.stop({ keepData: false });
    throw error;
  }
}

/** Stops the worker processes of a stack after they have drained. */
export async function stopWorkers(stack: Stack): Promise<void> {
  for (const name of WORKERS) if (stack.pid(name) !== undefined) await stack.kill(name, 'SIGTERM');
  const deadline = Date.now() + STOPPED_WITHIN_MS;
  while (WORKERS.some((name) => stack.pid(name) !== undefined)) {
    if (Date.now() > deadline) throw new Error('the worker processes did not stop in time');
    await delay(50);
  }
}

/** Removes every object, so that rounds of many megabytes do not fill the disk. */
export async function emptyBucket(objects: ObjectStore): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of objects.list('')) keys.push(key);
  await objects.remove(keys);
}
