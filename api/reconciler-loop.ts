import type { EntityManager } from '@mikro-orm/postgresql';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { sweepEnded } from '../services/recovery/sweeps.ts';
import { EngineUnavailable, type Engine } from '../temporal/client.ts';

const INTERVAL_MS = 2000;

/**
 * Every two seconds writes the outcome of abnormally ended runs to their rows, because users must see it even when
 * every worker is down. Ends when the signal is aborted.
 */
export async function runReconciler(
  { em, engine, log }: { em: () => EntityManager; engine: Engine; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { changed, failures } = await sweepEnded({ em: em(), engine });
      if (changed > 0) log.info({ changed }, 'reconciled rows whose workflow ended abnormally');
      for (const failure of failures) log.error({ err: failure }, 'a row could not be reconciled');
    } catch (error) {
      log[error instanceof EngineUnavailable ? 'debug' : 'warn'](
        { err: error },
        'the sweep of ended runs failed; it will be retried',
      );
    }
    await sleep(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}
