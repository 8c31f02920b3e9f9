import type { EntityManager } from '@mikro-orm/postgresql';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { reconcile } from '../services/recovery/reconcile.ts';
import { EngineUnavailable, type Engine } from '../temporal/client.ts';

const INTERVAL_MS = 2000;

/**
 * The one loop of the house: every two seconds it brings the engine's verdicts to the rows, because they must reach
 * the user even when no worker lives. Ends when the signal is aborted.
 */
export async function runReconciler(
  { em, engine, log }: { em: () => EntityManager; engine: Engine; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const onError = (error: unknown, id: string) =>
        log.error({ err: error, id }, 'the verdict on a workflow could not be written');
      const changed = await reconcile({ em: em(), engine, onError });
      if (changed > 0) log.info({ changed }, 'reconciled files whose workflow ended abnormally');
    } catch (error) {
      log[error instanceof EngineUnavailable ? 'debug' : 'warn'](
        { err: error },
        'reconciler round failed; the next one makes up for it',
      );
    }
    await sleep(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}
