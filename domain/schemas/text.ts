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

/** Tags as a list: trimmed, without empty or repeated ones. */
export const tagList = z
  // Counted before each one is looked at, so that 100,000 bad tags are one error.
  .array(z.unknown())
  .max(MAX_TAGS_SENT, `at most ${MAX_TAGS} tags`)
  .pipe(z.array(text(MAX_TAG_LENGTH)))
  .transform((tags) => [...new Set(tags.filter((tag) => tag !== ''))])
  .refine((tags) => tags.length <= MAX_TAGS, `at most ${MAX_TAGS} tags`);

/** Room for each tag, a comma and a blank. */
const MAX_TAGS_TEXT = MAX_TAGS_SENT * (MAX_TAG_LENGTH + 2);

/** Tags as one comma-separated string, as forms send them. */
export const commaSeparatedTags = z
  .string()
  .max(MAX_TAGS_TEXT, `at most ${MAX_TAGS} tags of ${MAX_TAG_LENGTH} characters`)
  .transform((value): unknown[] => value.split(','))
  .pipe(tagList);
