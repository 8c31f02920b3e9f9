import type { EntityManager } from '@mikro-orm/postgresql';
import { Counter } from 'prom-client';
import { boundUsage, type TokenUsage } from '../../domain/token-usage.ts';
import { totalCredits, type UsageLevel, type UsageOperation } from '../../domain/operations.ts';
import { chargesOfEach } from '../accounts/credits.ts';
import { insertUsageEvents } from './insert-usage-events.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { operationOf, originOf, reservationId, reservationIdsOf } from '../../domain/accounts/credits.ts';
import type { FileOperation } from '../../domain/pipelines/pipeline.ts';
import { nameUuid, storableMs } from '../shared/sql.ts';

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
  /** The reason for a missing result. */
  errorCode?: string | undefined;
  /** The ledger reservation with its credits. */
  reservationId?: string | undefined;
  /** The requester, if known. */
  apiKeyId?: string | undefined;
  userId?: string | undefined;
}

const tokens = new Counter({
  name: 'darkroom_model_tokens_total',
  help: 'Tokens of model calls, by provider',
  labelNames: ['provider', 'kind'],
});

/** Records an operation in the transaction that stores its result. A record with the same id changes nothing. */
export async function recordOperation(
  tx: EntityManager,
  record: OperationRecord,
  now = new Date(),
): Promise<void> {
  const { id, usage, provider } = record;
  const { inputTokens, outputTokens } = boundUsage(usage);
  tokens.inc({ provider, kind: 'input' }, inputTokens);
  tokens.inc({ provider, kind: 'output' }, outputTokens);
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
      durationMs: storableMs(record.durationMs),
      errorCode: record.errorCode ?? null,
      provider: record.provider,
      model: record.model,
      // Also of rows that were written before usage was bounded.
      ...boundUsage(usage),
      credits: record.credits,
      reservationId: record.reservationId ?? null,
      fileId: record.fileId ?? null,
      apiKeyId: record.apiKeyId ?? null,
      userId: record.userId ?? null,
    },
  ]);
}

/** A result of a file's run and the model used, or a failed attempt with its `errorCode`. */
export interface FileOperationRecord extends Pick<
  OperationRecord,
  'provider' | 'model' | 'usage' | 'durationMs' | 'errorCode'
> {
  operation: FileOperation;
}

export interface RecordOptions {
  ifCharged?: boolean;
  part?: 'domains' | 'compliance' | `page/${number}`;
  included?: boolean;
}

/**
 * Records an operation of a file's run, in the transaction that stores its result: once for each operation and
 * generation. Credits and requester come from the run's reservation; failed operations cost nothing.
 *
 * @param options.ifCharged whether to record nothing when the run has not reserved credits for the operation
 * @param options.part distinguishes several records of one operation; only one of them has the credits
 * @param options.included whether another part has the credits
 */
export async function recordFileOperation(
  tx: EntityManager,
  file: StoredFile,
  { operation: kind, ...record }: FileOperationRecord,
  { ifCharged = false, part, included = false }: RecordOptions = {},
): Promise<void> {
  const { id: fileId, tenantId, generation } = file;
  const operation = operationOf(kind, originOf(file));
  const entries = await chargesOfEach(tx, reservationIdsOf(fileId, generation));
  const charges = entries.flatMap((entry) =>
    entry.charges.filter((charge) => charge.operation === operation),
  );
  if (ifCharged && charges.length === 0) return;
  await recordOperation(tx, {
    ...record,
    id: nameUuid(`${kind}/${fileId}/${generation}${part ? `/${part}` : ''}`),
    tenantId,
    operation,
    fileId,
    credits: included || record.errorCode !== undefined ? 0 : totalCredits(charges),
    reservationId: reservationId(fileId, generation),
    apiKeyId: entries[0]?.apiKeyId ?? undefined,
  });
}
