import { DocumentAnswer } from '../../db/entities/ask/document-answer.ts';
import { secondsToCreditReset } from '../../domain/accounts/credits.ts';
import { AppError, type ErrorCode } from '../../domain/app-error.ts';
import { defineWork } from '../shared/define-work.ts';
import { endAnswer } from './end-answer.ts';
import { ANSWER_WORKFLOWS } from '../../temporal/contract/answer-question.ts';

/** Answers fail, with their credits returned, if their workflow ends without recording one. */
export const answerWork = defineWork({
  noun: 'answer',
  entity: DocumentAnswer,
  workflow: ANSWER_WORKFLOWS,
  openStatuses: ['processing'],
  input: ({ id, tenantId, giveUpAt }) => ({ answerId: id, tenantId, giveUpAt: giveUpAt.toISOString() }),
  summary: ({ level }) => `Answer, ${level}`,
  logged: ({ id }) => ({ answer_id: id }),
  fail: (em, { id, tenantId }, reason) =>
    endAnswer(em, { answerId: id, tenantId }, { status: 'failed', reason }),
});

const UNAVAILABLE = ['MODEL_RATE_LIMITED', 'MODEL_UNAVAILABLE', 'MODEL_TIMEOUT', 'MODEL_UNAUTHORIZED'];

/** Error codes in responses to failed answers. */
export const ANSWER_FAILURES = ['MODEL_UNAVAILABLE', 'ANSWER_FAILED'] as const satisfies readonly ErrorCode[];

/** The failure of an answer, as the response to the request that waited for it. */
export function answerFailure({ id, error }: DocumentAnswer): AppError {
  const { code = 'INTERNAL', message = 'unknown failure' } = error ?? {};
  if (code === 'QUOTA_EXHAUSTED') {
    return new AppError(code, message, { retryAfterSeconds: secondsToCreditReset(new Date()) });
  }
  const answered = UNAVAILABLE.includes(code) ? 'MODEL_UNAVAILABLE' : 'ANSWER_FAILED';
  return new AppError(answered, `${message} (answer ${id})`);
}
