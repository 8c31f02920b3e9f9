import { taskPriority } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';
import { rowWorkflows } from './workflow.ts';

/** The answer that an activity works on. */
export interface AnswerTarget {
  answerId: string;
  tenantId: string;
}

/**
 * `answerQuestion`, id `answer/{answer_id}`, queue `workflows`: one question about documents, from the passages in its row
 * to the answer in that row.
 */
export interface AnswerQuestionInput extends AnswerTarget {
  /** When calls of an unavailable model stop, ISO 8601, because the client that waits would give up. */
  giveUpAt: string;
}

export const ANSWER_WORKFLOWS = rowWorkflows<AnswerQuestionInput>({
  type: 'answerQuestion',
  prefix: 'answer/',
  row: ({ answerId }) => answerId,
  reuse: 'never',
  summary: () => 'Answer to a question about documents',
  priority: ({ tenantId }) => taskPriority('interactive', tenantId),
  attributes: ({ tenantId }) => searchAttributes({ tenantId }),
});
