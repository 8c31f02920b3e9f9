/**
 * Sanitises external text for any database and terminal: no control characters, no NUL, no lone surrogates, and of
 * bounded length.
 */
export function printable(text: string, maxLength = 2000): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
}
