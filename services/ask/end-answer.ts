import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentAnswer } from '../../db/entities/ask/document-answer.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { answerCharges, answerReservationId } from '../../domain/accounts/credits.ts';
import type { AnsweredBy, AnswerSentence, Passage } from '../../domain/ask/answer.ts';
import type { FailureReason } from '../../domain/components.ts';
import { totalCredits } from '../../domain/operations.ts';
import { LEVEL_RULES } from '../../domain/structured-extraction/extraction.ts';
import { NO_TOKENS, type TokenUsage } from '../../domain/token-usage.ts';
import type { AnswerTarget } from '../../temporal/contract/answer-question.ts';
import { closeReservations } from '../accounts/credits.ts';
import { nameUuid, storable, storableMs } from '../shared/sql.ts';
import { recordOperation } from '../usage/record-operation.ts';
import { NOT_DUE } from '../shared/due.ts';

/** Who answered, and what it took. */
export interface Answerer {
  provider: string;
  model: string;
  promptVersion: string;
  usage: TokenUsage;
}

/** The outcome of a question. */
export type AnswerEnd =
  | {
      status: 'completed';
      answeredBy: AnsweredBy;
      sentences: readonly AnswerSentence[];
      by: Answerer;
    }
  | { status: 'failed'; reason: FailureReason };

/**
 * Records the end of an answer in one transaction: sentences, settled credits and usage. Only an answer by a model costs
 * credits, also the one that the documents do not say; sentences of the passages themselves cost none. Only the first end
 * counts. If documents were purged meanwhile, only the sentences that other passages carry stay.
 *
 * @returns whether this call recorded the end
 */
export async function endAnswer(
  em: EntityManager,
  target: AnswerTarget,
  end: AnswerEnd,
  now = new Date(),
): Promise<boolean> {
  return em.transactional(async (tx) => {
    const row = await lockOpenAnswer(tx, target);
    if (!row) return false;
    const left = await unpurgedPassages(tx, row);
    const isCut = left.length < row.passages.length;
    const processingMs = storableMs(now.getTime() - row.createdAt.getTime());
    Object.assign(row, {
      status: end.status,
      ...(end.status === 'failed'
        ? { error: end.reason }
        : {
            ...answerOf(isCut ? carriedBy(left, end.sentences) : end.sentences),
            answeredBy: end.answeredBy,
            ...end.by,
          }),
      ...(isCut && { passages: left }),
      processingMs,
      ...NOT_DUE,
      updatedAt: now,
      completedAt: now,
    });
    await tx.flush();
    const isPaid = end.status === 'completed' && end.answeredBy === 'model';
    const reservationId = answerReservationId(row.id);
    const level = LEVEL_RULES[row.level].usage;
    await closeReservations(tx, [reservationId], isPaid ? 'spend' : 'refund');
    await recordOperation(
      tx,
      {
        id: nameUuid(`ask/${row.id}`),
        tenantId: row.tenantId,
        operation: 'ask',
        level,
        provider: row.provider ?? 'none',
        model: row.model ?? 'none',
        usage: row.usage ?? NO_TOKENS,
        credits: isPaid ? totalCredits(answerCharges(level)) : 0,
        durationMs: processingMs,
        ...(end.status === 'failed' && { errorCode: end.reason.code }),
        reservationId,
        apiKeyId: row.apiKeyId ?? undefined,
        userId: row.userId ?? undefined,
      },
      now,
    );
    return true;
  });
}

function answerOf(sentences: readonly AnswerSentence[]) {
  return { answered: sentences.length > 0, sentences: storable(sentences) };
}

/** The passages whose documents are not purged; those in the trash can be restored. */
async function unpurgedPassages(tx: EntityManager, { passages }: DocumentAnswer): Promise<Passage[]> {
  const ids = [...new Set(passages.map(({ documentId }) => documentId))];
  const files = await tx.find(StoredFile, { id: { $in: ids } }, { fields: ['id'] });
  const known = new Set<string>(files.map(({ id }) => id));
  return passages.filter(({ documentId }) => known.has(documentId));
}

/** The sentences that have no text but that of these passages. */
function carriedBy(
  passages: readonly Passage[],
  sentences: readonly AnswerSentence[],
): readonly AnswerSentence[] {
  const known = new Set(passages.map(({ chunkId }) => chunkId));
  return sentences.filter(
    ({ supported, citations }) => supported && citations.every(({ chunkId }) => known.has(chunkId)),
  );
}

/** Records what a call that yields no answer has cost, for the end of the answer. */
export async function noteCost(em: EntityManager, target: AnswerTarget, by: Answerer): Promise<void> {
  await em
    .nativeUpdate(DocumentAnswer, openAnswer(target), { ...by })
    // A retry for the sake of this record would pay again.
    .catch(() => undefined);
}

function openAnswer({ answerId, tenantId }: AnswerTarget) {
  return { id: answerId, tenantId, status: 'processing' } as const;
}

/** The row of an answer in progress, locked until the transaction ends; null if it has ended. */
export function lockOpenAnswer(tx: EntityManager, target: AnswerTarget): Promise<DocumentAnswer | null> {
  return tx.findOne(DocumentAnswer, openAnswer(target), {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    refresh: true,
  });
}
