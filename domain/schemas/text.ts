import { z } from 'zod';
import { MAX_TAG_LENGTH, MAX_TAGS } from '../limits.ts';

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
  .array(text(MAX_TAG_LENGTH))
  .transform((tags) => [...new Set(tags.filter((tag) => tag !== ''))])
  .refine((tags) => tags.length <= MAX_TAGS, `at most ${MAX_TAGS} tags`);

/** Tags as one comma-separated string, as forms send them. */
export const commaSeparatedTags = z
  .string()
  .transform((value) => value.split(','))
  .pipe(tagList);
