import { NativeConnection } from '@temporalio/worker';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { TemporalConfig } from '../temporal/config.ts';
import { connectionOptions } from '../temporal/connection-options.ts';

const RETRY_MS = 1000;

/**
 * Connects to the engine, retrying indefinitely: a worker may start before the engine does.
 *
 * @returns undefined when the signal was aborted first
 */
export async function connectWorker(
  config: TemporalConfig,
  log: Logger,
  signal: AbortSignal,
): Promise<NativeConnection | undefined> {
  const options = connectionOptions(config);
  const { address } = options;
  while (!signal.aborted) {
    try {
      return await NativeConnection.connect(options);
    } catch (error) {
      log.warn({ address, err: error }, 'the workflow engine cannot be reached; retrying');
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
