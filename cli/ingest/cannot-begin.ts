/** The command cannot start. The message is one line that says why and what to do. */
export class CannotBegin extends Error {
  override readonly name = 'CannotBegin';
}
