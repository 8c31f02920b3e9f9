import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentAnswer } from '../../db/entities/ask/document-answer.ts';
import { answerCharges, answerReservationId } from '../../domain/accounts/credits.ts';
import { invalidField } from '../../domain/app-error.ts';
import type { Passage } from '../../domain/ask/answer.ts';
import { MAX_SEARCH_IDS } from '../../domain/limits.ts';
import { LEVEL_RULES, type AnalysisLevel } from '../../domain/structured-extraction/extraction.ts';
import type { Engine } from '../../temporal/client.ts';
import { reserveCredits } from '../accounts/credits.ts';
import { apiKeyIdOf, type Principal } from '../accounts/principal.ts';
import type { ChunkHit } from '../documents/search-chunks.ts';
import { uuidArray } from '../files/folders/read-folders.ts';
import { resolveScope } from '../files/folders/resolve-scope.ts';
import { sql } from '../shared/sql.ts';
import { startAnswer } from './find-answer.ts';

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
 * Accepts a question: reserves the credits, stores the passages found for it and starts the workflow. Without a passage
 * the question is answered at once, and costs nothing. A question that was accepted before is not searched for again.
 *
 * @throws AppError QUOTA_EXHAUSTED
 */
export async function requestAnswer(
  { em, engine }: { em: EntityManager; engine: Engine },
  principal: Principal,
  request: AnswerRequest,
): Promise<DocumentAnswer> {
  const known = await em.findOne(DocumentAnswer, { id: request.id, tenantId: principal.tenantId });
  if (known) return known;
  const hits = await request.findHits();
  const answer = await em.transactional((tx) => insert(tx, principal, request, hits));
  if (answer.status === 'processing') await startAnswer({ em, engine }, answer);
  return answer;
}

/**
 * The documents in a folder and those below it, in no order.
 *
 * @throws AppError NOT_FOUND for a folder that is unknown, malformed or of another tenant; VALIDATION_FAILED for one with
 *   more documents than a search can name
 */
export async function documentsInFolder(
  em: EntityManager,
  tenantId: string,
  folderId: string,
): Promise<string[] | undefined> {
  const scope = await resolveScope(em, tenantId, { folderId, includeSubfolders: true });
  if (!scope?.folderIds) return undefined;
  const rows = await em.execute<{ id: string }[]>(sql`select id from files f
    where tenant_id = ${tenantId} and folder_id = any(${uuidArray(scope.folderIds)}::uuid[]) and deleted_at is null
      and exists (select from document_chunks chunk where chunk.file_id = f.id)
    limit ${MAX_SEARCH_IDS + 1}`);
  if (rows.length > MAX_SEARCH_IDS) {
    throw invalidField(
      '/body/folder_id',
      `the folder has more than ${MAX_SEARCH_IDS} documents; name one below it, or document_ids`,
    );
  }
  return rows.map(({ id }) => id);
}

async function insert(
  tx: EntityManager,
  { tenantId, tier, credential }: Principal,
  { id, question, level, timeoutMs }: AnswerRequest,
  hits: readonly ChunkHit[],
): Promise<DocumentAnswer> {
  const now = new Date();
  const apiKeyId = apiKeyIdOf(credential);
  const isOpen = hits.length > 0;
  if (isOpen) {
    await reserveCredits(tx, {
      tenantId,
      tier,
      reservationId: answerReservationId(id),
      charges: answerCharges(LEVEL_RULES[level].usage),
      apiKeyId,
    });
  }
  return tx.create(DocumentAnswer, {
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
    engineDueAt: isOpen ? now : null,
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
