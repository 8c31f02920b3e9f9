import { domainToASCII } from 'node:url';
import { z } from 'zod';

export const MAX_DOMAIN_LENGTH = 253;
/** Letters of any script. Node takes the host of a URL as well, with a path or a port. */
const WORDS = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** A domain name as mail uses it, in lower case and in ASCII: `Bücher.example` becomes `xn--bcher-kva.example`. */
export const domainName = z
  .string()
  .trim()
  .max(MAX_DOMAIN_LENGTH, `at most ${MAX_DOMAIN_LENGTH} characters`)
  .transform((text, context) => {
    const name = WORDS.test(text) ? domainToASCII(text) : '';
    if (isDomainName(name)) return name;
    context.addIssue({ code: 'custom', message: 'must be a domain name, such as example.com' });
    return z.NEVER;
  })
  .meta({ override: { type: 'string', maxLength: MAX_DOMAIN_LENGTH } });

/** Two labels or more. The last one has a letter, otherwise it is an address. */
function isDomainName(text: string): boolean {
  const labels = text.split('.');
  return (
    text.length <= MAX_DOMAIN_LENGTH &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    /[a-z]/.test(labels.at(-1) ?? '')
  );
}
