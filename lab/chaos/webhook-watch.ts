import { setTimeout as delay } from 'node:timers/promises';
import { expectStatus, json, RequestFailed, type Http, type Json } from '../shared/http.ts';
import { startWebhookReceiver, type Received } from '../shared/webhook-receiver.ts';
import type { ListedSession } from './read-state.ts';
import type { TaskEnd } from './run-tasks.ts';
import type { ListedFile } from './verdict.ts';

const POLL_MS = 1_000;
const DELIVERED_WITHIN_MS = 300_000;
const WAITING = ['pending', 'sending', 'retrying'];

/** A subscription to all events of the account, with the received events. */
export interface WebhookWatch {
  received: ReadonlyMap<string, Received>;
  /** Rotates the secret. The receiver keeps the previous secret, which also signs for a day. */
  rotate(): Promise<void>;
  /** Resolves when no delivery is pending. @throws RequestFailed after the deadline */
  delivered(): Promise<void>;
  /** One line per request with an invalid signature or id. */
  refused: readonly string[];
  stop(): Promise<void>;
}

/** Subscribes to all events, with a receiver in this process, which chaos does not kill. */
export async function watchWebhooks(http: Http, signal: AbortSignal): Promise<WebhookWatch> {
  const receiver = await startWebhookReceiver();
  const body = json({ url: receiver.url, event_types: ['*'] });
  const created = await http.once('POST', '/webhooks/subscriptions', body);
  const { id, secret } = expectStatus(created, 201, 'the subscription');
  receiver.expectSecret(secret);
  const path = `/webhooks/subscriptions/${id}`;

  async function waiting(): Promise<number> {
    let count = 0;
    for (const status of WAITING) {
      const list = await http.sendWithRetries('GET', `${path}/deliveries?status=${status}&limit=1`);
      count += expectStatus(list, 200, 'the deliveries').total_count as number;
    }
    return count;
  }

  return {
    received: receiver.received,
    refused: receiver.refused,
    async rotate() {
      expectStatus(
        await http.sendWithRetries('POST', `${path}/rotate-secret`, json({})),
        200,
        'the rotation',
      );
    },
    async delivered() {
      const deadline = Date.now() + DELIVERED_WITHIN_MS;
      for (let left = await waiting(); left > 0; left = await waiting()) {
        if (Date.now() > deadline) throw new RequestFailed(`${left} events were not delivered in time`);
        await delay(POLL_MS, undefined, { signal });
      }
    },
    stop: () => receiver.stop(),
  };
}

/**
 * Events that were not delivered, were delivered under more than one id, or belong to an extraction or export that no client
 * has requested. Each file and each session has two events, creation and end; each extraction and each export has one.
 */
export function findWebhookProblems(
  received: Iterable<Pick<Received, 'id' | 'body'>>,
  files: readonly ListedFile[],
  sessions: readonly ListedSession[],
  tasks: readonly TaskEnd[],
): string[] {
  const ids = Map.groupBy(received, ({ body }) => {
    const { type, data } = JSON.parse(body) as { type: string; data: Json };
    return `${type} of ${data[SUBJECTS[type.slice(0, type.indexOf('.'))] ?? 'file_id']}`;
  });
  const expected = [
    ...files.flatMap(({ id, primaryStatus }) => [`file.created of ${id}`, `file.${primaryStatus} of ${id}`]),
    ...sessions.flatMap(({ id, status }) => [
      `batch.started of ${id}`,
      `batch.${status === 'failed' ? 'completed' : status} of ${id}`,
    ]),
    ...tasks.map(({ kind, id }) => `${kind}.completed of ${id}`),
  ];
  const known = new Set(expected);
  return [
    ...expected.flatMap((event) => {
      const times = ids.get(event)?.length ?? 0;
      if (times === 1) return [];
      return times === 0 ? `${event} was never delivered` : `${event} was delivered under ${times} ids`;
    }),
    ...[...ids.keys()]
      .filter((event) => /^(?:extraction|export)\./.test(event) && !known.has(event))
      .map((event) => `${event} was delivered, and no client has its result`),
  ];
}

/** The id of the subject in the data of an event, by the noun of its type; of others, it is that of the file. */
const SUBJECTS: Readonly<Record<string, string>> = {
  batch: 'session_id',
  extraction: 'extraction_id',
  export: 'export_id',
};
