import { MAX_TAGS, MAX_TAG_LENGTH } from '../../../domain/limits.ts';

const MAX_DESCRIPTION = 4_000;

/** Plain text of one line or more, bounded, without control characters, which no database text column would take. */
export function cleanText(text: string, maxLength = MAX_DESCRIPTION): string {
  const plain = text
    .normalize('NFC')
    .toWellFormed()
    .replaceAll(/(?!\n)\p{Cc}/gu, ' ')
    .trim();
  if (plain.length <= maxLength) return plain;
  const space = plain.lastIndexOf(' ', maxLength - 1);
  const cut = plain.slice(0, space > maxLength / 2 ? space : maxLength - 1);
  return `${cut.replace(/[\uD800-\uDBFF]$/, '').trimEnd()}…`;
}

/** Tags in lower case, each once, in the order given. One too long to be a tag is a sentence, and left out. */
export function cleanTags(tags: readonly string[]): string[] {
  const cleaned = tags
    .map((tag) => tag.normalize('NFC').toWellFormed().toLowerCase())
    .map((tag) => tag.replaceAll(/[\p{Cc}\s]+/gu, ' ').replace(/^[#\s]+/, ''))
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '' && tag.length <= MAX_TAG_LENGTH);
  return [...new Set(cleaned)].slice(0, MAX_TAGS);
}
