/** Why nothing could be begun: one line for people that says what to do. */
export class CannotBegin extends Error {
  override readonly name = 'CannotBegin';
}
