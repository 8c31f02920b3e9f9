/** The recogniser crashed on a picture and was discarded. Retryable. */
export class RecogniserCrashed extends Error {
  override readonly name = 'RecogniserCrashed';

  constructor(cause: unknown) {
    super('The text recogniser broke.', { cause });
  }
}

/** The picture exceeded its budget of processor time; its recogniser was discarded. It would again. */
export class RecogniserTimeout extends Error {
  override readonly name = 'RecogniserTimeout';

  constructor(cpuMs: number) {
    super(`The text was not recognised within ${Math.round(cpuMs / 1000)} s of processor time.`);
  }
}

/** The pool of recognisers was closed before the picture was processed. */
export class RecogniserClosed extends Error {
  override readonly name = 'RecogniserClosed';

  constructor() {
    super('The text recogniser is closed.');
  }
}
