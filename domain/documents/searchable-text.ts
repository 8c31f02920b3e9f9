/**
 * A text as the parser of Postgres reads it best. It takes quotation marks, dashes and other signs beyond ASCII for letters
 * of the word next to them, so that «museum» would not be found by museum.
 */
export function searchableText(text: string): string {
  return text.replaceAll('\u00AD', '').replaceAll(/[^\p{L}\p{M}\p{N}\p{ASCII}]+/gu, ' ');
}
