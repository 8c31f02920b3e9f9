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

/** Whether a text contains anything visible rather than only spaces and invisible characters. */
export function isVisible(text: string): boolean {
  return /[^\p{Z}\p{C}]/u.test(text);
}

/** A message for use inside a sentence: without its own full stop. */
export function clause(message: string): string {
  const text = message.trimEnd();
  return text.endsWith('.') ? clause(text.slice(0, -1)) : text;
}
