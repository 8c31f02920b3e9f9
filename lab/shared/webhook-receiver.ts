import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** An event of which at least one request has arrived. */
export interface Received {
  /** The value of `webhook-id`. */
  id: string;
  body: string;
  /** Requests with this id. */
  times: number;
}

/** A receiver of webhooks on loopback. */
export interface WebhookReceiver {
  url: string;
  /** By id. */
  received: ReadonlyMap<string, Received>;
  /** One line for each request that is not signed by the secret, or has the id of another event. */
  refused: readonly string[];
  /** From now on, refuses requests that are not signed by this secret. */
  expectSecret(secret: string): void;
  /** Milliseconds before it answers 204 from now on; infinite for never. At first 0. */
  answerAfter(milliseconds: number): void;
  stop(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received = new Map<string, Received>();
  const refused: string[] = [];
  let waitMs = 0;
  let signer: Webhook | undefined;

  function receive(body: string, headers: Record<string, string>): void {
    const id = headers['webhook-id'] ?? '';
    signer?.verify(body, headers);
    const known = received.get(id);
    if (known && known.body !== body) throw new Error(`${id} is the id of two events`);
    received.set(id, { id, body, times: (known?.times ?? 0) + 1 });
  }

  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
      try {
        receive(body, Object.fromEntries(headers) as Record<string, string>);
      } catch (error) {
        refused.push(String(error));
        return response.writeHead(400).end();
      }
      if (waitMs === Infinity) return undefined;
      if (waitMs > 0) await delay(waitMs);
      return response.writeHead(204).end();
      // A sender that is killed breaks off.
    })().catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    refused,
    expectSecret: (secret) => void (signer = new Webhook(secret)),
    answerAfter: (milliseconds) => void (waitMs = milliseconds),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
