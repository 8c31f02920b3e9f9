/** The command cannot start. The message is one line with the reason and the remedy. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
