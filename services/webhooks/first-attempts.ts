import { WebhookDelivery } from '../../db/entities/webhooks/webhook-delivery.ts';
import { WebhookEvent } from '../../db/entities/webhooks/webhook-event.ts';
import { WebhookSubscription } from '../../db/entities/webhooks/webhook-subscription.ts';
import type { Orm } from '../../db/create-orm.ts';
import { delayOfNextAttempt } from '../../domain/webhooks/delivery.ts';
import type { Engine } from '../../temporal/client.ts';
import type { AttemptOutcome } from '../../temporal/contract/deliver-webhook.ts';
import type { Dispatch } from './dispatch-deliveries.ts';
import { startDeliveries, startOrCancelDelivery } from './reconcile-delivery.ts';
import { attemptDelivery, type AttemptDeps } from './send-delivery.ts';

/** Longer than an attempt takes: afterwards its process is taken for dead, and the sweep starts the workflow. */
const LEASE_SECONDS = 30;

export interface FirstAttemptsOptions {
  orm: Orm;
  engine: Engine;
  attempts: AttemptDeps;
  /** Attempts at a time. */
  slots: number;
  onAttempt: (outcome: AttemptOutcome['outcome']) => void;
  onTrouble: (error: unknown) => void;
}

/**
 * Makes the first attempts of deliveries in this process, since most of them arrive at once and a workflow costs many
 * times what a request does. What fails, and what has no room, gets its workflow; so does what this process leaves
 * behind when it dies.
 */
export function createFirstAttempts(options: FirstAttemptsOptions): Dispatch & {
  /** Resolves when no attempt is in progress. */
  settled(): Promise<void>;
} {
  const { orm, engine, attempts, slots, onAttempt, onTrouble } = options;
  const inProgress = new Set<Promise<void>>();

  async function attempt(
    delivery: WebhookDelivery,
    subscription: WebhookSubscription,
    event: WebhookEvent,
  ): Promise<void> {
    const em = orm.em.fork();
    const retryAfterMs = delayOfNextAttempt(1, Math.random()) ?? null;
    const { signal } = new AbortController();
    const made = { retryAfterMs, signal, byWorkflow: false };
    const { outcome } = await attemptDelivery(em, attempts, { delivery, subscription, event }, made);
    onAttempt(outcome);
    if (outcome === 'delivered') return;
    const row = await orm.em.fork().findOne(WebhookDelivery, delivery.id);
    if (row?.engineDueAt) await startOrCancelDelivery({ em: orm.em.fork(), engine }, row);
  }

  return {
    leaseSeconds: LEASE_SECONDS,
    async deliver(admitted) {
      const room = Math.max(0, slots - inProgress.size);
      const own = admitted.slice(0, room);
      const em = orm.em.fork();
      const ids = <K extends 'eventId' | 'subscriptionId'>(key: K) => own.map((row) => row[key]);
      const events = await em.find(WebhookEvent, { id: { $in: ids('eventId') } });
      const subscriptions = await em.find(WebhookSubscription, { id: { $in: ids('subscriptionId') } });
      for (const delivery of own) {
        const event = events.find(({ id }) => id === delivery.eventId);
        const subscription = subscriptions.find(({ id }) => id === delivery.subscriptionId);
        if (!event || !subscription) continue;
        const made: Promise<void> = attempt(delivery, subscription, event)
          .catch(onTrouble)
          .finally(() => inProgress.delete(made));
        inProgress.add(made);
      }
      return startDeliveries({ em: orm.em.fork(), engine }, admitted.slice(room));
    },
    async settled() {
      await Promise.all(inProgress);
    },
  };
}
