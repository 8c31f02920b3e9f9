import type { EntityManager } from '@mikro-orm/postgresql';
import type { TokenUsage } from '../../domain/token-usage.ts';
import type { UsageLevel, UsageOperation } from '../../domain/operations.ts';
import { insertUsageEvents } from './insert-usage-events.ts';

/** One operation of a model that has ended. */
export interface OperationRecord {
  /** Derived from what was done and its generation, so that a repeat is recognised. */
  id: string;
  tenantId: string;
  operation: UsageOperation;
  /** For operations that have levels. */
  level?: UsageLevel | undefined;
  fileId?: string | undefined;
  provider: string;
  model: string;
  usage: TokenUsage;
  credits: number;
  durationMs: number;
  /** Why there is no result, where there is none. */
  errorCode?: string | undefined;
  /** Where its credits are in the ledger. */
  reservationId?: string | undefined;
  /** Who asked for it, as far as that is known. */
  apiKeyId?: string | undefined;
  userId?: string | undefined;
}

/** Records an operation in the transaction that stores its result. A record with the same id changes nothing. */
export async function recordOperation(
  tx: EntityManager,
  record: OperationRecord,
  now = new Date(),
): Promise<void> {
  const { id, usage } = record;
  // The second of two transactions with this id waits, and then sees the event of the first.
  await tx.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [id]);
  await insertUsageEvents(tx, [
    {
      occurredAt: now,
      id,
      tenantId: record.tenantId,
      type: record.operation,
      subtype: record.level ?? null,
      endpoint: null,
      method: null,
      status: null,
      durationMs: Math.round(record.durationMs),
      errorCode: record.errorCode ?? null,
      provider: record.provider,
      model: record.model,
      ...usage,
      credits: record.credits,
      reservationId: record.reservationId ?? null,
      fileId: record.fileId ?? null,
      apiKeyId: record.apiKeyId ?? null,
      userId: record.userId ?? null,
    },
  ]);
}
