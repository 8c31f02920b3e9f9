/** The child process died while reading: a crash, a kill. Retryable. */
export class ReaderCrashed extends Error {
  override readonly name = 'ReaderCrashed';

  constructor(exitCode: number | null, signal: NodeJS.Signals | null) {
    super(`The document reader died (${signal ?? `exit code ${exitCode}`}).`);
  }
}

/** The reader was closed before the task was done. */
export class ReaderClosed extends Error {
  override readonly name = 'ReaderClosed';

  constructor() {
    super('The document reader is closed.');
  }
}
