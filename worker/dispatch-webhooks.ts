import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import type { Orm } from '../db/create-orm.ts';
import { listen } from '../services/shared/listen.ts';
import { countPendingDeliveries, dispatchDeliveries } from '../services/webhooks/dispatch-deliveries.ts';
import type { Engine } from '../temporal/client.ts';

/** The channel that the triggers of the deliveries notify, see the migration `webhooks`. */
const CHANNEL = 'webhook_deliveries';

/**
 * Hands deliveries to the engine as soon as they are written, or others have ended. The sweep does the same less often,
 * so nothing depends on this.
 *
 * @param listening the database without a pooler in between
 * @returns a function that ends it, after the search in progress
 */
export function dispatchWebhooks({
  orm,
  listening,
  engine,
  log,
}: {
  orm: Orm;
  listening: Orm;
  engine: Engine;
  log: Logger;
}): () => Promise<void> {
  const pending = new Gauge({
    name: 'darkroom_webhook_deliveries_pending',
    help: 'Events that wait to be delivered to webhooks, those that are tried again excluded',
    async collect() {
      // While the database is away, the last figure stays.
      const count = await countPendingDeliveries(orm.em.fork()).catch(() => undefined);
      if (count !== undefined) this.set(count);
    },
  });
  const closing = new AbortController();
  let again = false;
  let searching: Promise<void> | undefined;

  async function search(): Promise<void> {
    while (again && !closing.signal.aborted) {
      again = false;
      try {
        await dispatchDeliveries({ em: orm.em.fork(), engine });
      } catch (error) {
        log.warn({ err: error }, 'deliveries of webhooks wait for the sweep');
      }
    }
    searching = undefined;
  }

  const stop = listen(listening, CHANNEL, {
    onNotified() {
      again = true;
      searching ??= search();
    },
    onTrouble: (err) => log.warn({ err }, 'cannot listen for deliveries of webhooks; the sweep finds them'),
  });
  return async () => {
    closing.abort();
    pending.remove();
    stop();
    await searching;
  };
}
