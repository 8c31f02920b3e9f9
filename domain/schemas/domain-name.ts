import { domainToASCII } from 'node:url';
import { z } from 'zod';

const MAX_LENGTH = 253;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** A domain name as mail uses it, in lower case and in ASCII: `Bücher.example` becomes `xn--bcher-kva.example`. */
export const domainName = z
  .string()
  .trim()
  .max(MAX_LENGTH, `at most ${MAX_LENGTH} characters`)
  .transform((text, context) => {
    const name = domainToASCII(text);
    if (isDomainName(name)) return name;
    context.addIssue({ code: 'custom', message: 'must be a domain name, such as example.com' });
    return z.NEVER;
  })
  .meta({ override: { type: 'string', maxLength: MAX_LENGTH } });

/** Two labels or more. The last one has a letter, otherwise it is an address. */
function isDomainName(text: string): boolean {
  const labels = text.split('.');
  return (
    text.length <= MAX_LENGTH &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    /[a-z]/.test(labels.at(-1) ?? '')
  );
}
