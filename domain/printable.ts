/**
 * Text from outside that every database and terminal can hold: no control characters, no NUL, no half of a
 * surrogate pair, and not longer than a message for people should be.
 */
export function printable(text: string, maxLength = 2000): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
}
