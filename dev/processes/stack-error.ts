/** A problem that the user has to fix, described in one line. */
export class StackError extends Error {
  override readonly name = 'StackError';
}

/** The first line of an error's message, for use inside another one-line message. */
export function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? text;
}
