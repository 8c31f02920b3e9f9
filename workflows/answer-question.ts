import { CancellationScope, isCancellation, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { AnswerQuestionInput } from '../temporal/contract/answer-question.ts';
import { failureReason } from '../temporal/contract/failures.ts';
import { QUEUES, taskPriority, visionQueue } from '../temporal/contract/queues.ts';
import { quickIo, vision } from './activity-options.ts';
import { endAsFailed } from './end-as-failed.ts';

/** One question that a request waits for. Its row has the answer, or why there is none. */
export async function answerQuestion({ giveUpAt, ...target }: AnswerQuestionInput): Promise<void> {
  const prioritised = { priority: taskPriority('interactive', target.tenantId) };
  const io = proxyActivities<Pick<Activities, 'chooseAnswerer' | 'failAnswer'>>({
    ...quickIo,
    ...prioritised,
    taskQueue: QUEUES.io,
    summary: 'Answer',
  });
  try {
    const provider = await io.chooseAnswerer(target);
    const { answerFromPassages } = proxyActivities<Pick<Activities, 'answerFromPassages'>>({
      ...vision,
      // The answer is checked in turn with other work of the tenant; the call of the model has a limit of its own.
      startToCloseTimeout: '10 min',
      ...prioritised,
      taskQueue: visionQueue(provider),
      summary: `Answer by ${provider}`,
    });
    await answerFromPassages({ ...target, giveUpAt });
    setCurrentDetails('Ended: completed.');
  } catch (error) {
    const reason = failureReason(error);
    await CancellationScope.nonCancellable(() => io.failAnswer(target, reason));
    if (isCancellation(error)) throw error;
    setCurrentDetails(`Failed: ${reason.code}.`);
    endAsFailed(reason);
  }
}
