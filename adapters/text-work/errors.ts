/** What a text cost too much of. */
export type TextExcess = 'took_too_long' | 'too_large';

const MESSAGES: Readonly<Record<TextExcess, string>> = {
  took_too_long: 'the text takes too long to work on',
  too_large: 'the text takes too much memory to work on',
};

/** A text is over its budget of CPU time or memory, and would be each time: final. */
export class TextOverBudget extends Error {
  override readonly name = 'TextOverBudget';
  readonly reason: TextExcess;

  constructor(reason: TextExcess) {
    super(MESSAGES[reason]);
    this.reason = reason;
  }
}

/** The thread ended while it worked: a crash. Retryable. */
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
