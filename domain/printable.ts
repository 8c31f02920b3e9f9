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

/** Whether a person sees anything of a text: it does not consist of spaces and invisible characters alone. */
export function isVisible(text: string): boolean {
  return /[^\p{Z}\p{C}]/u.test(text);
}

/** A message as a part of a sentence, which has a full stop of its own. */
export function clause(message: string): string {
  const text = message.trimEnd();
  return text.endsWith('.') ? clause(text.slice(0, -1)) : text;
}
