import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { ExtractionPart } from '../../db/entities/structured-extraction/extraction-part.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import {
  extractionCharges,
  extractionReservationId,
  schemaReservationId,
} from '../../domain/accounts/credits.ts';
import type { FailureReason } from '../../domain/components.ts';
import { totalCredits } from '../../domain/operations.ts';
import { leavesOf } from '../../domain/structured-extraction/json-schema.ts';
import { LEVEL_RULES, type Citations } from '../../domain/structured-extraction/extraction.ts';
import { addUsage, NO_TOKENS } from '../../domain/token-usage.ts';
import type { ExtractionTarget } from '../../temporal/contract/extract-data.ts';
import { closeReservations } from '../accounts/credits.ts';
import { nameUuid, storableMs } from '../shared/sql.ts';
import { discardObject, handOverToSweep } from '../uploads/claimed-objects.ts';
import { recordOperation } from '../usage/record-operation.ts';
import { NOT_DUE } from '../shared/due.ts';

export interface EndDeps {
  em: EntityManager;
  objects: ObjectStore;
}

/** The outcome of an extraction. */
export type ExtractionEnd =
  | { status: 'completed'; data: Record<string, unknown>; citations: Citations | null }
  | { status: 'failed'; reason: FailureReason };

/**
 * Records the end of an extraction in one transaction: result, settled credits and usage. Its objects are removed, at
 * the latest by the sweep. Only the first end counts.
 *
 * @returns whether this call recorded the end
 */
export async function endExtraction(
  { em, objects }: EndDeps,
  target: ExtractionTarget,
  end: ExtractionEnd,
): Promise<boolean> {
  const keys = await em.transactional((tx) => recordEnd(tx, target, end));
  for (const key of keys ?? []) await discardObject({ em, objects }, key);
  return keys !== undefined;
}

/** As `endExtraction`, inside a transaction; the objects are left to the sweep. Returns them. */
export async function recordEnd(
  tx: EntityManager,
  { extractionId, tenantId }: ExtractionTarget,
  end: ExtractionEnd,
  now = new Date(),
): Promise<readonly string[] | undefined> {
  const row = await tx.findOne(
    SchemaExtraction,
    { id: extractionId, tenantId, status: 'processing' },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  );
  if (!row) return undefined;
  const parts = await tx.find(ExtractionPart, { extractionId }, { orderBy: { part: 'asc' } });
  const [first] = parts;
  const usage = parts.reduce((sum, part) => addUsage(sum, usageOf(part)), row.usage ?? { ...NO_TOKENS });
  const provider = first?.provider ?? row.provider ?? null;
  const model = first?.model ?? row.model ?? null;
  const keys = row.objectKeys;
  const processingMs = storableMs(now.getTime() - row.createdAt.getTime());
  Object.assign(row, {
    status: end.status,
    ...(end.status === 'completed'
      ? { data: end.data, citations: end.citations, confidence: lowest(parts) }
      : { error: end.reason }),
    provider,
    model,
    promptVersion: first?.promptVersion ?? row.promptVersion ?? null,
    usage,
    processingMs,
    objectKeys: [],
    ...NOT_DUE,
    updatedAt: now,
    completedAt: now,
  });
  await handOverToSweep(tx, keys);
  await tx.flush();
  const succeeded = end.status === 'completed' && leavesOf(end.data).length > 0;
  const reservationId = reservationOf(row);
  const level = LEVEL_RULES[row.level].usage;
  await closeReservations(tx, [reservationId], succeeded ? 'spend' : 'refund');
  await recordOperation(
    tx,
    {
      id: nameUuid(`extract/${extractionId}`),
      tenantId,
      operation: 'extract',
      level,
      fileId: row.fileId ?? undefined,
      provider: provider ?? 'none',
      model: model ?? 'none',
      usage,
      credits: succeeded ? totalCredits(extractionCharges(level)) : 0,
      durationMs: processingMs,
      ...(end.status === 'failed' && { errorCode: end.reason.code }),
      reservationId,
      apiKeyId: row.apiKeyId ?? undefined,
      userId: row.userId ?? undefined,
    },
    now,
  );
  return keys;
}

function reservationOf({ id, source, fileId, generation }: SchemaExtraction): string {
  const isOfUpload = source === 'upload' && fileId != null && generation != null;
  return isOfUpload ? schemaReservationId(fileId, generation) : extractionReservationId(id);
}

function usageOf(part: ExtractionPart) {
  const { inputTokens, outputTokens, thinkingTokens = null, cacheReadTokens, cacheCreationTokens } = part;
  return { inputTokens, outputTokens, thinkingTokens, cacheReadTokens, cacheCreationTokens };
}

/** The confidence of a result is that of its least certain part; null if one part has none. */
function lowest(parts: readonly ExtractionPart[]): number | null {
  const rated = parts.flatMap(({ confidence }) => confidence ?? []);
  return rated.length > 0 && rated.length === parts.length ? Math.min(...rated) : null;
}
