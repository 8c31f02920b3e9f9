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
