import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { Orm } from '../../db/create-orm.ts';
import type { Json } from './api.ts';

/** A received event. */
export interface ReceivedEvent {
  id: string;
  /** The `webhook-signature` header. */
  signature: string;
  type: string;
  data: Json;
  body: string;
  headers: Record<string, string>;
  receivedAt: number;
}

/** Writes the response to an event. */
export type Answer = (response: ServerResponse, event: ReceivedEvent) => void;

export const ok: Answer = (response) => void response.writeHead(204).end();
export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end(`it is ${code}`);

/** A receiver of webhooks on loopback. */
export interface WebhookReceiver {
  url: string;
  /** All events so far, oldest first. */
  events: ReceivedEvent[];
  /** Sets the response to further events; 204 by default. */
  answer: (how: Answer) => void;
  /** Verifies an event as Standard Webhooks specifies and returns its body; throws if the signature is wrong. */
  verify: (event: ReceivedEvent, secret: string) => Json;
  stop(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  let how = ok;
  const events: ReceivedEvent[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    void (async () => {
      const body = await text(request);
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      const parsed = JSON.parse(body) as { type: string; data: Json };
      const event: ReceivedEvent = {
        id: headers['webhook-id'] ?? '',
        signature: headers['webhook-signature'] ?? '',
        type: parsed.type,
        data: parsed.data,
        body,
        headers,
        receivedAt: Date.now(),
      };
      events.push(event);
      how(response, event);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    events,
    answer: (next) => void (how = next),
    verify: (event, secret) => new Webhook(secret).verify(event.body, event.headers) as Json,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Adds a delivery as left by a process that crashed in the first attempt; returns its id. */
export async function addAbandonedDelivery(
  orm: Orm,
  tenantId: string,
  subscriptionId: string,
): Promise<string> {
  const [delivery] = await orm.em.fork().execute<{ id: string }[]>(
    `with event as (
       insert into webhook_events (id, tenant_id, type, data, created_at)
       values (gen_random_uuid(), ?::uuid, 'webhook.test', '{}'::jsonb, now()) returning id, tenant_id)
     insert into webhook_deliveries
       (id, tenant_id, subscription_id, event_id, status, engine_due_at, created_at)
     select gen_random_uuid(), tenant_id, ?::uuid, id, 'sending', now() - interval '1 minute', now() from event
     returning id`,
    [tenantId, subscriptionId],
  );
  assert.ok(delivery);
  return delivery.id;
}
