/** The exceeded limit of a text. */
export type TextExcess = 'took_too_long' | 'too_large';

const MESSAGES: Readonly<Record<TextExcess, string>> = {
  took_too_long: 'the text takes too long to work on',
  too_large: 'the text takes too much memory to work on',
};

/** A text exceeds its budget of CPU time or memory. Final. */
export class TextOverBudget extends Error {
  override readonly name = 'TextOverBudget';
  readonly reason: TextExcess;

  constructor(reason: TextExcess) {
    super(MESSAGES[reason]);
    this.reason = reason;
  }
}

/** The thread crashed while it worked. Retryable. */
export class TextThreadCrashed extends Error {
  override readonly name = 'TextThreadCrashed';

  constructor(cause: unknown) {
    super('The thread for text ended before its work was done.', { cause });
  }
}

/** The threads were closed before the work was done. */
export class TextWorkClosed extends Error {
  override readonly name = 'TextWorkClosed';

  constructor() {
    super('The threads for text are closed.');
  }
}
