import { cleanFilename, printable } from '../text.ts';

/** Maximum length of the URL of a link. */
export const MAX_LINK_LENGTH = 2048;

/** Parameters that only say where a visitor came from. */
const TRACKING = /^(utm_\w+|fbclid|gclid|dclid|msclkid|yclid|mc_cid|mc_eid|igshid|_hs(enc|mi))$/i;

/**
 * The form of a web URL in which equal pages have equal URLs: scheme and host in lower case, no default port, no
 * fragment, no parameters of trackers, and the others in their order, which may matter.
 *
 * @param base of a relative URL
 * @returns undefined for anything that is not a URL of the web without credentials, and for one that is too long
 */
export function normalizeLink(text: string, base?: string): string | undefined {
  const trimmed = text.trim();
  const url = trimmed === '' ? null : URL.parse(trimmed, base);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  url.hash = '';
  // Rewriting the parameters would also change how the others are escaped.
  const kept = url.search.slice(1).split('&').filter(isMeaningful);
  // A question mark may also be the first character of the parameters.
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
 * The URL that identifies a page. It may name another one than its own, but only of its host: otherwise it could pass for
 * a page of somebody else. A page that names the front page of its site is mistaken.
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

/** One line of text from a page, of bounded length; undefined if there is nothing to see. */
export function pageLineOf(text: string | null | undefined, most: number): string | undefined {
  const line = printable((text ?? '').replaceAll(/\s+/g, ' '), most);
  return line === '' ? undefined : line;
}
