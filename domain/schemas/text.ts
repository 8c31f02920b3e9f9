import { z } from 'zod';
import { MAX_TAG_LENGTH, MAX_TAGS, MAX_TAGS_SENT } from '../limits.ts';

/** Text that people typed: trimmed, bounded, and without the NUL that no database stores. */
export function text(max: number) {
  return z
    .string()
    .trim()
    .max(max, `at most ${max} characters`)
    .refine((value) => !value.includes('\0'), 'must not contain NUL');
}

const tag = text(MAX_TAG_LENGTH);

/** Up to so many different tags, each of them trimmed and not empty; a repeated one counts once. */
export function filledTags(max: number) {
  return distinct(tag.min(1, 'must not be empty'), max);
}

/** Tags as a list: trimmed, without empty or repeated ones. */
export const tagList = distinct(tag, MAX_TAGS);

function distinct(each: typeof tag, max: number) {
  const message = `at most ${max} tags`;
  return (
    z
      // Counted before each one is looked at, so that 100,000 bad tags are one error.
      .array(z.unknown())
      .max(MAX_TAGS_SENT, message)
      .pipe(z.array(each))
      .transform((tags) => [...new Set(tags.filter((one) => one !== ''))])
      .refine((tags) => tags.length <= max, message)
  );
}

/** Room for each tag, a comma and a blank. */
const MAX_TAGS_TEXT = MAX_TAGS_SENT * (MAX_TAG_LENGTH + 2);

/** Tags as one comma-separated string, as forms send them. */
export const commaSeparatedTags = z
  .string()
  .max(MAX_TAGS_TEXT, `at most ${MAX_TAGS} tags of ${MAX_TAG_LENGTH} characters`)
  .transform((value): unknown[] => value.split(','))
  .pipe(tagList);
