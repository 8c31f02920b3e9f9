import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** An event with at least one received request. */
export interface Received {
  /** The value of `webhook-id`. */
  id: string;
  body: string;
  /** Number of requests with this id. */
  times: number;
}

/** A receiver of webhooks on loopback. */
export interface WebhookReceiver {
  url: string;
  /** Received events by id. */
  received: ReadonlyMap<string, Received>;
  /** One line for each request with an invalid signature or with the id of another event. */
  refused: readonly string[];
  /** Sets the secret: later requests with another signature are refused. */
  expectSecret(secret: string): void;
  /** Sets the delay of the 204 in milliseconds, initially 0; Infinity for no response. */
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
      // A killed sender closes the connection.
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
