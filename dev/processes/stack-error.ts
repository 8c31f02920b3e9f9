/** A problem that a person has to fix. The message is one line that says what. */
export class StackError extends Error {
  override readonly name = 'StackError';
}

/** The first line of an error's message, for use inside another one-line message. */
export function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? text;
}
