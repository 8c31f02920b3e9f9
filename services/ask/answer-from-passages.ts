import type { EntityManager } from '@mikro-orm/postgresql';
import { isFinal, ModelError } from '../../adapters/models/model-error.ts';
import type { WrittenAnswer } from '../../adapters/models/vision/document-model.ts';
import type { VisionModel } from '../../adapters/models/vision/vision-model.ts';
import type { VisionModels } from '../../adapters/models/vision/vision-models.ts';
import type { PassageRanker } from '../../adapters/models/passage-ranking/passage-ranker.ts';
import { bestByRating, bestByWords, rateable } from '../../engines/text-work/ask/best-sentences.ts';
import { TextOverBudget } from '../../engines/text-work/errors.ts';
import type { TextCall, TextWork } from '../../engines/text-work/text-work.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { DocumentAnswer } from '../../db/entities/ask/document-answer.ts';
import { DocumentPage } from '../../db/entities/documents/document-page.ts';
import { answerCharges, answerReservationId } from '../../domain/accounts/credits.ts';
import type { Tier } from '../../domain/accounts/tiers.ts';
import { NO_TEXT, type AnswerSentence, type Passage } from '../../domain/ask/answer.ts';
import type { PageOfDocument } from '../../engines/text-work/ask/place-quote.ts';
import { LEVEL_RULES } from '../../domain/structured-extraction/extraction.ts';
import { NO_TOKENS } from '../../domain/token-usage.ts';
import type { AnswerTarget } from '../../temporal/contract/answer-question.ts';
import { storePaidAnswer, tenantModel, type PaidAttempt } from '../processing/record-step.ts';
import { reserveCredits } from '../accounts/credits.ts';
import { acknowledge } from '../shared/due.ts';
import { endAnswer, lockOpenAnswer, noteCost, type AnswerEnd } from './end-answer.ts';

/** The answer has ended, so no work is left. */
export class AnswerOver extends Error {
  override readonly name = 'AnswerOver';
}

/**
 * Chooses the provider in whose queue the question waits, and reserves the credits if its model answers questions.
 * Idempotent.
 *
 * @throws AnswerOver, AppError QUOTA_EXHAUSTED
 */
export async function chooseAnswerer(
  { em, models }: { em: EntityManager; models: Pick<VisionModels, 'forTenant'> },
  target: AnswerTarget,
): Promise<string> {
  const { answerId: id, tenantId } = target;
  const read = await em.findOne(DocumentAnswer, { id, tenantId }, { fields: ['id', 'engineDueAt'] });
  if (read) await acknowledge(em, DocumentAnswer, read);
  const { tier, allowedVlmProviders } = await em.findOneOrFail(Tenant, tenantId, { refresh: true });
  const { provider, documents } = models.forTenant(allowedVlmProviders);
  if (documents) await reserveAnswer(em, target, tier);
  return provider;
}

async function reserveAnswer(em: EntityManager, target: AnswerTarget, tier: Tier): Promise<void> {
  await em.transactional(async (tx) => {
    // An answer that has ended closes no reservation any more.
    const row = await lockOpenAnswer(tx, target);
    if (!row) throw new AnswerOver('the answer has ended');
    const { id, tenantId, level, apiKeyId } = row;
    const charges = answerCharges(LEVEL_RULES[level].usage);
    await reserveCredits(tx, { tenantId, tier, reservationId: answerReservationId(id), charges, apiKeyId });
  });
}

export interface AnswerDeps {
  em: EntityManager;
  models: Pick<VisionModels, 'forTenant'>;
  text: TextWork;
  ranker: PassageRanker;
  /** The provider on whose queue the call waited. */
  provider: string;
}

/**
 * Answers a question from its passages, by the tenant's model, or without one by the sentences of the passages themselves
 * that answer it, as the ranking model of the service judges, else by their words. Every sentence of a model is checked. The documents may have been deleted meanwhile; then their passages have
 * no text.
 *
 * @throws AnswerOver, TextOverBudget, and the errors of the model
 */
export async function answerFromPassages(
  { em, models, text, ranker, provider }: AnswerDeps,
  target: AnswerTarget,
  attempt: PaidAttempt,
): Promise<void> {
  const { answerId, tenantId } = target;
  const row = await em.findOne(
    DocumentAnswer,
    { id: answerId, tenantId, status: 'processing' },
    { refresh: true },
  );
  if (!row) throw new AnswerOver('the answer has ended');
  const model = await tenantModel(em, tenantId, { models, provider });
  const passages = await livePassages(em, row);
  const given = { passages, pages: await pagesOf(em, passages) };
  const call = { tenantId, signal: attempt.signal };
  if (!model.documents) {
    const { quotes, chosenBy } = await bestQuotes({ text, ranker }, row, given, call);
    const sentences = await text.citeQuotes({ quotes, ...given }, call);
    const by = { provider: model.provider, model: chosenBy, promptVersion: 'none', usage: NO_TOKENS };
    await endAnswer(em, target, { status: 'completed', answeredBy: 'passages', sentences, by });
    return;
  }
  const end = async (written: WrittenAnswer): Promise<AnswerEnd> => {
    const { answered, usage, promptVersion } = written;
    const sentences = answered
      ? await text
          .checkSentences({ sentences: written.sentences, ...given }, call)
          .catch((error: unknown) => unchecked(written, error))
      : [];
    return {
      status: 'completed',
      answeredBy: 'model',
      sentences,
      by: { provider: model.provider, model: model.model, promptVersion, usage },
    };
  };
  await storePaidAnswer(
    attempt,
    () => askModel({ em, model, row, passages }, target, attempt.signal),
    async (written) => void (await endAnswer(em, target, await end(written))),
  );
}

/** Share of the time that is left for the ratings, which may wait behind those of others; and what a late answer has. */
const RATING_SHARE = 0.5;
const LEAST_RATING_MS = 5000;

/** The sentences of the passages that answer best, and the name of what chose them. */
async function bestQuotes(
  { text, ranker }: Pick<AnswerDeps, 'text' | 'ranker'>,
  { question, giveUpAt }: Pick<DocumentAnswer, 'question' | 'giveUpAt'>,
  given: { passages: readonly Passage[]; pages: readonly PageOfDocument[] },
  call: TextCall,
) {
  const candidates = rateable(await text.findCandidates({ question, ...given }, call));
  const readable = candidates.map((candidate) => candidate.readable);
  const left = giveUpAt.getTime() - Date.now();
  const late = AbortSignal.timeout(Math.max(LEAST_RATING_MS, Math.round(RATING_SHARE * left)));
  const until = AbortSignal.any([call.signal, late]);
  const ratings = await ranker.rate(question, readable, until).catch((error: unknown) => {
    // Their words are still there.
    if (error instanceof ModelError || (late.aborted && !call.signal.aborted)) return undefined;
    throw error;
  });
  return ratings
    ? { quotes: bestByRating(candidates, ratings), chosenBy: 'passage-ranking-v1' }
    : { quotes: bestByWords(candidates), chosenBy: 'best-sentences-v2' };
}

/** The answer is paid: sentences that take too long to check are not supported. */
function unchecked({ sentences }: WrittenAnswer, error: unknown): AnswerSentence[] {
  if (!(error instanceof TextOverBudget)) throw error;
  return sentences.map(({ text }) => ({ text, supported: false, citations: [] }));
}

async function askModel(
  {
    em,
    model,
    row,
    passages,
  }: { em: EntityManager; model: VisionModel; row: DocumentAnswer; passages: Passage[] },
  target: AnswerTarget,
  signal: AbortSignal,
): Promise<WrittenAnswer> {
  const { documents, provider, model: name } = model;
  if (!documents) throw new Error(`${provider} answers no questions`);
  const { maxOutputTokens } = LEVEL_RULES[row.level];
  return documents
    .answer({ question: row.question, passages, maxOutputTokens }, { signal })
    .catch(async (error: unknown) => {
      if (error instanceof ModelError && error.usage && isFinal(error)) {
        const by = { provider, model: name, promptVersion: 'none', usage: error.usage };
        await noteCost(em, target, by);
      }
      throw error;
    });
}

/** The passages, without the text of those whose documents are gone: a kept answer names them by their numbers. */
async function livePassages(em: EntityManager, { passages, tenantId }: DocumentAnswer): Promise<Passage[]> {
  const ids = [...new Set(passages.map(({ documentId }) => documentId))];
  if (ids.length === 0) return [];
  const live = await em.execute<{ id: string }[]>(
    `select id from files where tenant_id = ? and deleted_at is null and id in (${ids.map(() => '?').join(', ')})`,
    [tenantId, ...ids],
  );
  const known = new Set(live.map(({ id }) => id));
  return passages.map((passage) => (known.has(passage.documentId) ? passage : { ...passage, ...NO_TEXT }));
}

/** The pages that passages are on; at most a few for each. */
async function pagesOf(em: EntityManager, passages: readonly Passage[]): Promise<PageOfDocument[]> {
  const placed = passages.filter(({ pageNumbers }) => pageNumbers.length > 0);
  const wanted = placed.map(({ documentId, pageNumbers }) => ({
    fileId: documentId,
    pageNumber: { $in: [...pageNumbers] },
  }));
  if (wanted.length === 0) return [];
  const pages = await em.find(DocumentPage, { status: 'completed', $or: wanted });
  return pages.map(({ fileId, pageNumber, elements }) => ({ documentId: fileId, pageNumber, elements }));
}
