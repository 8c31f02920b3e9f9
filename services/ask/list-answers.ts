import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentAnswer } from '../../db/entities/ask/document-answer.ts';
import type { Credential } from '../../domain/accounts/access.ts';

/** What a list shows of an answer: not its passages and sentences, which are large. */
const LISTED = [
  'id',
  'status',
  'question',
  'answered',
  'answeredBy',
  'createdAt',
  'completedAt',
] as const satisfies readonly (keyof DocumentAnswer)[];
export type ListedAnswer = Pick<DocumentAnswer, (typeof LISTED)[number]>;

/** One page of the answers to the questions of a person or an API key, newest first, and the total count. */
export async function listAnswers(
  em: EntityManager,
  { tenantId, credential }: { tenantId: string; credential: Credential },
  { limit, offset }: { limit: number; offset: number },
): Promise<{ answers: ListedAnswer[]; totalCount: number }> {
  const asker =
    credential.kind === 'api_key'
      ? { apiKeyId: credential.keyId }
      : { userId: credential.userId, apiKeyId: null };
  const [answers, totalCount] = await em.findAndCount(
    DocumentAnswer,
    { tenantId, ...asker },
    { fields: [...LISTED], limit, offset, orderBy: { createdAt: 'desc', id: 'desc' } },
  );
  return { answers, totalCount };
}
