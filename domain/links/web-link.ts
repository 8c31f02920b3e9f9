import { cleanFilename, printable } from '../text.ts';

/** Maximum length of the URL of a link. */
export const MAX_LINK_LENGTH = 2048;

/** Tracking parameters, which do not affect the page. */
const TRACKING = /^(utm_\w+|fbclid|gclid|dclid|msclkid|yclid|mc_cid|mc_eid|igshid|_hs(enc|mi))$/i;

/**
 * Normalises a web URL, so that equal pages have equal URLs: scheme and host in lower case, no default port,
 * no fragment, no tracking parameters. The order of the other parameters is kept, since it may matter.
 *
 * @param base of a relative URL
 * @returns undefined for a URL that is invalid, not http or https, has credentials, or is too long
 */
export function normalizeLink(text: string, base?: string): string | undefined {
  const trimmed = text.trim();
  const url = trimmed === '' ? null : URL.parse(trimmed, base);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  // Edited as text, since URLSearchParams would change the escaping of the remaining parameters.
  const kept = url.search.slice(1).split('&').filter(isMeaningful);
  // Prefixed explicitly, since the parameters may themselves start with a question mark.
  url.search = kept.length > 0 ? `?${kept.join('&')}` : '';
  return url.href.length > MAX_LINK_LENGTH ? undefined : url.href;
}

function isMeaningful(parameter: string): boolean {
  return parameter !== '' && !TRACKING.test(parameter.split('=', 1)[0] ?? '');
}

/** The host of a link without `www.`, for display and filters. */
export function domainOf(link: string): string {
  return new URL(link).hostname.replace(/^www\./, '');
}

/** A file name for a link: its host and path. */
export function linkFilename(link: string): string {
  const { host, pathname } = new URL(link);
  const path = pathname.split('/').filter(Boolean).map(unescaped);
  return cleanFilename([host, ...path].join('-').replaceAll(/[/\\]/g, '-'));
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The original of a link: its URL as text/uri-list (RFC 2483). */
export function linkOriginal(link: string): Uint8Array {
  return new TextEncoder().encode(`${link}\r\n`);
}

export const LINK_CONTENT_TYPE = 'text/uri-list';

/**
 * The URL that identifies a page. The page may declare a canonical URL, but only on its own host, so that it
 * cannot impersonate another site. A canonical URL that points to the front page is a mistake and ignored.
 */
export function acceptedCanonical(finalUrl: string, canonical: string | undefined): string {
  const normal = normalizeLink(finalUrl) ?? finalUrl;
  const named = canonical === undefined ? undefined : normalizeLink(canonical, finalUrl);
  if (named === undefined || siteOf(named) !== siteOf(normal)) return normal;
  const isMistake = new URL(named).pathname === '/' && new URL(normal).pathname !== '/';
  return isMistake ? normal : named;
}

/** Host and port. */
function siteOf(link: string): string {
  return new URL(link).host.replace(/^www\./, '');
}

/** Reduces text from a page to one line of bounded length; undefined if nothing visible is left. */
export function pageLineOf(text: string | null | undefined, most: number): string | undefined {
  const line = printable((text ?? '').replaceAll(/\s+/g, ' '), most);
  return line === '' ? undefined : line;
}
