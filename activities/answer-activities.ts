import type { VisionModels } from '../adapters/models/vision/vision-models.ts';
import { TextOverBudget } from '../engines/text-work/errors.ts';
import type { PassageRanker } from '../adapters/models/passage-ranking/passage-ranker.ts';
import type { TextWork } from '../engines/text-work/text-work.ts';
import type { Orm } from '../db/create-orm.ts';
import { AppError } from '../domain/app-error.ts';
import type { FailureReason } from '../domain/components.ts';
import { answerFromPassages, AnswerOver, chooseAnswerer } from '../services/ask/answer-from-passages.ts';
import { endAnswer } from '../services/ask/end-answer.ts';
import type { AnswerQuestionInput, AnswerTarget } from '../temporal/contract/answer-question.ts';
import { attempt, type FailureClass } from './attempt.ts';
import { classifyModelFailure } from './classify-failures.ts';
import { answeredInTime, orGiveUp } from './waiting-client.ts';

interface AnswerDeps {
  orm: Orm;
  models: Pick<VisionModels, 'forTenant'>;
}

/** Rows of answers, on the `io` queue. */
export function createAnswerActivities({ orm, models }: AnswerDeps) {
  return {
    /**
     * Reserves the credits if a model answers.
     *
     * @returns the provider whose queue the question waits in
     */
    chooseAnswerer: (target: AnswerTarget): Promise<string> =>
      attempt(() => chooseAnswerer({ em: orm.em.fork(), models }, target), classifyAnswerFailure, UNCOUNTED),

    failAnswer: (target: AnswerTarget, reason: FailureReason): Promise<boolean> =>
      attempt(
        () => endAnswer(orm.em.fork(), target, { status: 'failed', reason }),
        classifyAnswerFailure,
        UNCOUNTED,
      ),
  };
}

/** For activities that only write a row or two, whose content cannot crash a worker. */
const UNCOUNTED = { counting: false };

/** Answers, on the queue of the provider of the model. */
export function createAnswerModelActivities(
  { orm, models, text, ranker }: AnswerDeps & { text: TextWork; ranker: PassageRanker },
  provider: string,
) {
  return {
    answerFromPassages: ({ giveUpAt, ...target }: AnswerQuestionInput): Promise<void> =>
      attempt(
        (controls) =>
          answeredInTime(controls, giveUpAt, (signal) =>
            answerFromPassages({ em: orm.em.fork(), models, text, ranker, provider }, target, {
              ...controls,
              signal,
            }),
          ),
        (error) => orGiveUp(classifyModelFailure(error) ?? classifyAnswerFailure(error), giveUpAt),
      ),
  };
}

function classifyAnswerFailure(error: unknown): FailureClass | undefined {
  if (error instanceof AnswerOver) {
    return { kind: 'permanent', code: 'ANSWER_OVER', message: error.message, expected: true };
  }
  if (error instanceof AppError && error.code === 'QUOTA_EXHAUSTED') {
    return { kind: 'permanent', code: error.code, message: error.message, expected: true };
  }
  if (error instanceof TextOverBudget) {
    return { kind: 'permanent', code: 'ANSWER_TOO_SLOW', message: error.message };
  }
  return undefined;
}
