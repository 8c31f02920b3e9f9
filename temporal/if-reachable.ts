import { EngineUnavailable, type Engine, type WorkIds } from './client.ts';

/**
 * Starts or signals a workflow whose row is due, which the sweep repeats if the engine is unreachable now. That is
 * reported, since until the sweep the work waits.
 *
 * @returns undefined when the engine is unreachable
 */
export async function ifReachable<T>(
  engine: Engine,
  ids: WorkIds,
  start: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
    engine.reportUnreached(error, ids);
    return undefined;
  }
}
