import type { EntityManager } from '@mikro-orm/postgresql';
import { DocumentAnswer } from '../../db/entities/ask/document-answer.ts';
import { secondsToCreditReset } from '../../domain/accounts/credits.ts';
import { AppError, notFound, type ErrorCode } from '../../domain/app-error.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { answerWorkflowId } from '../../temporal/contract/ids.ts';
import { READ_DEADLINE_MS } from '../../temporal/deadlines.ts';
import { ifReachable } from '../../temporal/if-reachable.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';
import { describeWorkflowRun } from '../../temporal/status/describe-workflow-run.ts';
import { pollUntil } from '../shared/outage.ts';
import { isUuid } from '../shared/sql.ts';
import { endAnswer } from './end-answer.ts';

interface Deps {
  em: EntityManager;
  engine: Engine;
}

/**
 * An answer of the tenant, reconciled with the engine.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed or of another tenant
 */
export async function findAnswer(
  { em, engine }: Deps,
  tenantId: string,
  id: string,
): Promise<DocumentAnswer> {
  const answer = isUuid(id)
    ? await em.findOne(DocumentAnswer, { tenantId, id: id.toLowerCase() }, { refresh: true })
    : null;
  if (!answer) throw notFound('answer');
  try {
    await reconcileAnswer({ em, engine }, answer, READ_DEADLINE_MS);
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
  }
  return answer;
}

/**
 * Waits until an answer has ended, the time is up, or the client has gone. Starts it if the engine lacks it.
 *
 * @param answer is refreshed
 * @throws AppError NOT_FOUND if its row was removed meanwhile
 */
export async function waitForAnswer(
  { em, engine }: Deps,
  answer: DocumentAnswer,
  { milliseconds, signal }: { milliseconds: number; signal: AbortSignal },
): Promise<void> {
  if (answer.status !== 'processing') return;
  await pollUntil(
    async () => {
      const { id, tenantId } = answer;
      // The passages of a waiting answer are not read again and again.
      const now = await em.fork().findOne(DocumentAnswer, { id, tenantId }, { fields: ['status'] });
      return now?.status !== 'processing' || undefined;
    },
    {
      milliseconds,
      signal,
      startDue: async () => {
        if (answer.engineDueAt) await startAnswer(engine, answer);
      },
    },
  );
  if (!(await em.refresh(answer))) throw notFound('answer');
}

/** Starts the workflow of an answer; until that has read the row, the sweep does so again. Idempotent. */
export async function startAnswer(engine: Engine, answer: DocumentAnswer): Promise<void> {
  const { id, tenantId, giveUpAt, level } = answer;
  const input = { answerId: id, tenantId, giveUpAt: giveUpAt.toISOString() };
  await ifReachable(engine, { tenant_id: tenantId, answer_id: id }, () =>
    startWorkflow(engine, 'answerQuestion', input, { summary: `Answer, ${level}` }),
  );
}

/**
 * Reconciles an answer and the engine: starts a workflow that is missing in the engine, and fails an answer whose workflow
 * ended without recording it, which returns its credits. Idempotent. Needs no worker.
 *
 * @returns whether the row was stale
 * @throws EngineUnavailable
 */
export async function reconcileAnswer(
  { em, engine }: Deps,
  answer: DocumentAnswer,
  milliseconds: number,
): Promise<boolean> {
  if (answer.status !== 'processing') return false;
  const { id: answerId, tenantId } = answer;
  const run = await describeWorkflowRun(engine, answerWorkflowId(answerId), milliseconds);
  if (!run) await startAnswer(engine, answer);
  if (!run || run.outcome === 'running') return false;
  const changed = await endAnswer(em, { answerId, tenantId }, { status: 'failed', reason: run.reason });
  await em.refreshOrFail(answer);
  return changed;
}

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
