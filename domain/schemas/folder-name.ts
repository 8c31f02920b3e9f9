import { z } from 'zod';
import { MAX_FOLDER_NAME_LENGTH } from '../limits.ts';
import { isVisible } from '../printable.ts';

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
