import { z } from 'zod';

const MAX_EMAIL_LENGTH = 254;

/** An e-mail address, in lower case as users are stored. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(MAX_EMAIL_LENGTH, `at most ${MAX_EMAIL_LENGTH} characters`)
  .pipe(z.email('must be an e-mail address'))
  .meta({ override: { type: 'string', format: 'email', maxLength: MAX_EMAIL_LENGTH } });
