import { z } from 'zod';

/** RFC 5321: maximum length of a path, without its brackets. */
const MAX_EMAIL_LENGTH = 254;

/** An email address in lower case, as stored. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(MAX_EMAIL_LENGTH, `at most ${MAX_EMAIL_LENGTH} characters`)
  .pipe(z.email('must be an email address'))
  .meta({ override: { type: 'string', format: 'email', maxLength: MAX_EMAIL_LENGTH } });
