import { z } from 'zod';
import { MAX_TAG_LENGTH, MAX_TAGS, MAX_TAGS_SENT, MAX_FOLDER_NAME_LENGTH } from '../limits.ts';
import { isVisible } from '../text.ts';

/** User-entered text: trimmed and bounded. */
export function text(max: number) {
  return z.string().trim().max(max, `at most ${max} characters`);
}

/** A visible name: user-entered text that does not consist only of spaces and invisible characters. */
export function displayName(max: number) {
  return text(max)
    .min(1, 'must not be empty')
    .refine((name) => name === '' || isVisible(name), 'must have a visible character');
}

const tag = text(MAX_TAG_LENGTH);

/** Up to `max` distinct tags, each trimmed and not empty. */
export function filledTags(max: number) {
  return distinct(tag.min(1, 'must not be empty'), max, { minLength: 1 });
}

/** A list of tags: trimmed, without empty or repeated ones. */
export const tagList = distinct(tag, MAX_TAGS);

function distinct(each: typeof tag, max: number, documented: { minLength?: number } = {}) {
  const message = `at most ${max} tags`;
  return (
    z
      // Limit the count before validating items, so that 100,000 bad tags are one error.
      .array(z.unknown())
      .max(MAX_TAGS_SENT, message)
      .pipe(z.array(each))
      .transform((tags) => [...new Set(tags.filter((one) => one !== ''))])
      .refine((tags) => tags.length <= max, message)
      .meta({
        override: {
          type: 'array',
          items: { type: 'string', ...documented, maxLength: MAX_TAG_LENGTH },
          maxItems: max,
        },
      })
  );
}

/** Each tag is followed by a comma and a space. */
const MAX_TAGS_TEXT = MAX_TAGS_SENT * (MAX_TAG_LENGTH + 2);

/** Tags as one comma-separated form field. */
export const commaSeparatedTags = z
  .string()
  .max(MAX_TAGS_TEXT, `at most ${MAX_TAGS} tags of ${MAX_TAG_LENGTH} characters`)
  .transform((value): unknown[] => value.split(','))
  .pipe(tagList);

/** An optional field of a JSON body. Null is equivalent to absence. */
export function optional<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** As `optional`, with a default. */
export function optionalWith<S extends z.ZodType>(schema: S, usual: z.util.NoUndefined<z.output<S>>) {
  return schema
    .nullable()
    .default(usual)
    .transform((value): z.output<S> => value ?? usual);
}

/** The name of a folder or project: NFC, trimmed, 1 to 255 characters, no slash and no control characters. */
export const folderName = z
  .string()
  .normalize('NFC')
  .trim()
  .min(1, 'must have a character')
  .max(MAX_FOLDER_NAME_LENGTH, `at most ${MAX_FOLDER_NAME_LENGTH} characters`)
  .refine((name) => name === '' || isVisible(name), 'must have a visible character')
  .refine((name) => !/[/\p{Cc}]/u.test(name), 'must not contain a slash or control characters')
  .meta({ override: { pattern: String.raw`^[^/\u0000-\u001f\u007f-\u009f]+$` } });
