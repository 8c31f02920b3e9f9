import { WebFetchError } from './web-fetch-error.ts';

/**
 * Parses a web URL for a request: the parser normalises every spelling of an address, so that the connection's guard
 * checks the address that the system would use.
 *
 * @param base of a redirect, whose target may be relative
 * @throws WebFetchError URL_INVALID for other schemes, and for URLs with credentials
 */
export function parseWebUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (!url) throw invalid('is no URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalid('begins with neither http nor https');
  if (url.username !== '' || url.password !== '') throw invalid('contains credentials');
  return url;

  function invalid(what: string): WebFetchError {
    return new WebFetchError('URL_INVALID', `the ${base ? 'target of a redirect' : 'URL'} ${what}`);
  }
}
