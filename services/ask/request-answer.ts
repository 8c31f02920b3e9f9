import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentAnswer } from '../../db/entities/ask/document-answer.ts';
import type { Passage } from '../../domain/ask/answer.ts';
import type { AnalysisLevel } from '../../domain/structured-extraction/extraction.ts';
import type { Engine } from '../../temporal/client.ts';
import { apiKeyIdOf, type Principal } from '../accounts/principal.ts';
import type { ChunkHit } from '../documents/search-chunks.ts';
import { answerWork } from './answer-work.ts';
import { dueSince, NOT_DUE } from '../shared/due.ts';

export interface AnswerRequest {
  id: string;
  question: string;
  level: AnalysisLevel;
  /** Searches for the question; best first. */
  findHits: () => Promise<readonly ChunkHit[]>;
  /** How long the client waits, which bounds the retries of a model that does not respond. */
  timeoutMs: number;
}

/** Share of the client's timeout after which an outage is reported. */
const GIVE_UP_SHARE = 0.9;

/**
 * Accepts a question: stores the passages found for it and starts the workflow, which reserves credits if a model answers.
 * Without a passage the question is answered at once. A question that was accepted before is not searched for again.
 */
export async function requestAnswer(
  { em, engine }: { em: EntityManager; engine: Engine },
  principal: Principal,
  request: AnswerRequest,
): Promise<DocumentAnswer> {
  const known = await em.findOne(DocumentAnswer, { id: request.id, tenantId: principal.tenantId });
  if (known) return known;
  const hits = await request.findHits();
  const answer = insert(em, principal, request, hits);
  await em.flush();
  if (answer.status === 'processing') await answerWork.start({ em, engine }, answer);
  return answer;
}

function insert(
  em: EntityManager,
  { tenantId, credential }: Principal,
  { id, question, level, timeoutMs }: AnswerRequest,
  hits: readonly ChunkHit[],
): DocumentAnswer {
  const now = new Date();
  const apiKeyId = apiKeyIdOf(credential);
  const isOpen = hits.length > 0;
  return em.create(DocumentAnswer, {
    id,
    tenantId,
    question,
    level,
    passages: hits.map(toPassage),
    giveUpAt: new Date(now.getTime() + timeoutMs * GIVE_UP_SHARE),
    error: null,
    ...(isOpen ? OPEN : NOTHING_FOUND),
    promptVersion: null,
    usage: null,
    processingMs: isOpen ? null : 0,
    apiKeyId: apiKeyId ?? null,
    userId: credential.kind === 'session' ? credential.userId : null,
    ...(isOpen ? dueSince(now) : NOT_DUE),
    createdAt: now,
    updatedAt: now,
    completedAt: isOpen ? null : now,
  });
}

const OPEN = {
  status: 'processing',
  answered: null,
  answeredBy: null,
  sentences: null,
  provider: null,
  model: null,
} as const;
const NOTHING_FOUND = {
  status: 'completed',
  answered: false,
  answeredBy: 'passages',
  sentences: [],
  provider: 'local',
  model: 'search',
} as const;

function toPassage(hit: ChunkHit): Passage {
  const { id, documentId, filename, headingPath, pageNumbers, content, similarity } = hit;
  return { chunkId: id, documentId, filename, headingPath, pageNumbers, text: content, similarity };
}
