import { randomUUID } from 'node:crypto';
import type { UsageEvent } from '../../db/entities/usage/usage-event.ts';
import { NO_TOKENS } from '../../domain/token-usage.ts';

/** What is known of a request to the API. */
export type RequestFacts = Pick<
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

/** The usage event of a request; it has nothing of an operation. */
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
