import type { Orm } from '../../db/create-orm.ts';
import type { UsageEvent } from '../../db/entities/usage/usage-event.ts';
import { insertUsageEvents } from './insert-usage-events.ts';
import { randomUUID } from 'node:crypto';
import { NO_TOKENS } from '../../domain/token-usage.ts';

/** Events that wait for the next write: a few megabytes. */
const MAX_WAITING = 20_000;
/** Events of one write. */
const MAX_A_WRITE = 5_000;
const WRITE_EVERY_MS = 1_000;
/** How long the writes at the end may take together. */
const LAST_WRITES_MS = 5_000;

export type DropReason = 'full' | 'database';

/**
 * Records requests without making them wait: events are kept in memory and written each second. What cannot be written
 * is dropped and counted, so that neither a slow database nor a missing one costs more than these events.
 */
export interface RequestEvents {
  add(event: UsageEvent): void;
  /** Writes the remaining events, within seconds. */
  close(): Promise<void>;
}

export function createRequestEvents(
  orm: Orm,
  onDropped: (count: number, reason: DropReason, error?: unknown) => void,
): RequestEvents {
  let waiting: UsageEvent[] = [];
  let writing: Promise<void> | undefined;

  async function write(): Promise<void> {
    const events = waiting.slice(0, MAX_A_WRITE);
    waiting = waiting.slice(MAX_A_WRITE);
    try {
      await orm.em.fork().transactional((tx) => insertUsageEvents(tx, events));
    } catch (error) {
      onDropped(events.length, 'database', error);
    }
  }
  async function writeAll(): Promise<void> {
    while (waiting.length > 0) await write();
  }
  const startWriting = (): Promise<void> => {
    writing ??= writeAll().finally(() => (writing = undefined));
    return writing;
  };
  const timer = setInterval(() => void startWriting(), WRITE_EVERY_MS);

  return {
    add(event) {
      if (waiting.length < MAX_WAITING) waiting.push(event);
      else onDropped(1, 'full');
    },
    async close() {
      clearInterval(timer);
      const deadline = new Promise((resolve) => setTimeout(resolve, LAST_WRITES_MS).unref());
      await Promise.race([startWriting(), deadline]);
      if (waiting.length > 0) onDropped(waiting.length, 'database');
      waiting = [];
    },
  };
}

/** One request to the API. */
type RequestFacts = Pick<
  UsageEvent,
  | 'occurredAt'
  | 'tenantId'
  | 'subtype'
  | 'endpoint'
  | 'method'
  | 'status'
  | 'durationMs'
  | 'errorCode'
  | 'apiKeyId'
  | 'userId'
>;

/** The usage event of a request, without operation columns. */
export function requestEvent(facts: RequestFacts): UsageEvent {
  return {
    ...facts,
    id: randomUUID(),
    type: 'request',
    provider: null,
    model: null,
    ...NO_TOKENS,
    credits: 0,
    reservationId: null,
    fileId: null,
  };
}
