import { domainToASCII } from 'node:url';
import { z } from 'zod';

export const MAX_DOMAIN_LENGTH = 253;
/** Letters of any script. `new URL` would also accept a path or a port in the host. */
const WORDS = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** RFC 5321: maximum length of a path, without its brackets. */
const MAX_EMAIL_LENGTH = 254;
const ATOM = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
/**
 * RFC 5322, without quotes and comments. Only ASCII: two spellings of a domain or letters that become the same in lower
 * case would let one person take the account of another.
 */
const EMAIL = new RegExp(`^${ATOM}(?:\\.${ATOM})*@(?<domain>[a-z0-9.-]+)$`, 'i');

/** An email domain, in lower case and ASCII: `Bücher.example` becomes `xn--bcher-kva.example`. */
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

/** An email address in lower case, as stored. */
export const email = z
  .string()
  .trim()
  .max(MAX_EMAIL_LENGTH, `at most ${MAX_EMAIL_LENGTH} characters`)
  .refine(
    (text) => isDomainName(EMAIL.exec(text)?.groups?.['domain']?.toLowerCase() ?? ''),
    'must be an email address',
  )
  .toLowerCase()
  .meta({ override: { type: 'string', format: 'email', maxLength: MAX_EMAIL_LENGTH } });

/** At least two labels. The last one contains a letter, otherwise it is an IP address. */
function isDomainName(text: string): boolean {
  const labels = text.split('.');
  return (
    text.length <= MAX_DOMAIN_LENGTH &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    /[a-z]/.test(labels.at(-1) ?? '')
  );
}

/** Listen address of the HTTP API, used by the API, the launcher, and commands that call an API on this machine. */
export const apiAddress = z.object({
  HOST: z.string().default('127.0.0.1').describe('address on which the API listens'),
  PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(8080)
    .describe('port on which the API listens; 0 for any free one'),
});

/** The origin under which this machine reaches a server with that listen address. */
export function originOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** The origin at which browsers reach the service, without a path. */
export const publicBaseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
  .refine((url) => new URL(url).pathname === '/', 'must have no path')
  .transform((url) => new URL(url));
