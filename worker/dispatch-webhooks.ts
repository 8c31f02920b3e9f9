import type { Logger } from 'pino';
import { setTimeout as delay } from 'node:timers/promises';
import type { Orm } from '../db/create-orm.ts';
import { listen } from '../services/shared/listen.ts';
import { dispatchDeliveries } from '../services/webhooks/dispatch-deliveries.ts';
import { createFirstAttempts } from '../services/webhooks/first-attempts.ts';
import type { WorkerDeps } from './deps.ts';

/** The channel notified by the triggers on deliveries, see the migration `webhooks`. */
const CHANNEL = 'webhook_deliveries';
/** Pause between passes: one pass handles all changes since the last at the cost of one. */
const PAUSE_MS = 5;

/**
 * Dispatches deliveries as soon as they are written or others have ended, and makes their first attempts.
 * Only an optimisation: the sweep starts workflows for deliveries that wait longer.
 *
 * @param listening connection to the database that bypasses any pooler
 * @param slots maximum number of concurrent first attempts
 * @returns a function that stops it and waits for the attempts in progress
 */
export function dispatchWebhooks(
  { orm, engine, cipher, sender, mailer, onWebhookAttempt }: WorkerDeps,
  { listening, slots, log }: { listening: Orm; slots: number; log: Logger },
): () => Promise<void> {
  const first = createFirstAttempts({
    orm,
    engine,
    attempts: { cipher, sender, baseUrl: mailer.baseUrl },
    slots,
    onAttempt: onWebhookAttempt,
    onError: (err) => log.warn({ err }, 'a webhook delivery is left to the sweep'),
  });
  const closing = new AbortController();
  let again = false;
  let searching: Promise<void> | undefined;

  async function search(): Promise<void> {
    while (again && !closing.signal.aborted) {
      again = false;
      try {
        await dispatchDeliveries(orm.em.fork(), first);
      } catch (error) {
        log.warn({ err: error }, 'webhook deliveries wait for the sweep');
      }
      await delay(PAUSE_MS);
    }
    searching = undefined;
  }

  const stop = listen(listening, CHANNEL, {
    onNotified() {
      again = true;
      searching ??= search();
    },
    onError: (err) => log.warn({ err }, 'cannot listen for webhook deliveries; the sweep finds them'),
  });
  return async () => {
    closing.abort();
    stop();
    await searching;
    await first.settled();
  };
}
