import { WebFetchError } from './web-fetch-error.ts';
import type { WebFetch } from './web-fetch.ts';
import { UnreadablePage, type PageParser } from '../../engines/page-parser/page-parser.ts';

/** The robots.txt rules of sites, per RFC 9309. */
export interface Robots {
  /**
   * @throws WebFetchError URL_DISALLOWED for a URL that the rules disallow, URL_ROBOTS_UNREACHABLE while the
   *   rules cannot be fetched, URL_ROBOTS_UNREADABLE for rules beyond the parser's budget; PageParserCrashed;
   *   the reason of the signal
   */
  check(url: URL, call: { tenantId: string; signal: AbortSignal }): Promise<void>;
}

/**
 * "Crawlers SHOULD NOT use the cached version for more than 24 hours"; an hour lets changes take effect
 * sooner.
 */
const KEPT_MS = 3_600_000;
/** Failed fetches are cached only briefly. */
const KEPT_FAILURE_MS = 10_000;
const MAX_SITES = 1_000;
/** "The parsing limit MUST be at least 500 kibibytes": the rest is cut off. */
const MAX_BYTES = 500 * 1024;
/** Short, since the page waits for it. */
const TIMEOUT_MS = 10_000;
/** Size of the cache for all sites together. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
const ALLOWED = 'everything';
const UNREACHABLE = 'unreachable';

type Rules = typeof ALLOWED | typeof UNREACHABLE | { text: string };

interface Entry {
  rules: Promise<Rules>;
  bytes: number;
  until: number;
}

/**
 * Fetches the rules of a site once and caches them for an hour; concurrent checks of a site share the fetch.
 */
export function createRobots({ web, parser }: { web: WebFetch; parser: PageParser }): Robots {
  /** Least recently fetched first. */
  const sites = new Map<string, Entry>();

  function rulesOf(robotsUrl: string): Promise<Rules> {
    const known = sites.get(robotsUrl);
    if (known && known.until > Date.now()) return known.rules;
    // Not bound to the signal of one waiting page; the fetch has its own time limit.
    const entry: Entry = {
      rules: fetchRules(web, robotsUrl),
      bytes: 0,
      until: Date.now() + KEPT_MS,
    };
    sites.delete(robotsUrl);
    sites.set(robotsUrl, entry);
    void entry.rules.then((rules) => {
      if (rules === UNREACHABLE) entry.until = Date.now() + KEPT_FAILURE_MS;
      entry.bytes = typeof rules === 'string' ? 0 : rules.text.length;
      dropOldest();
    });
    return entry.rules;
  }

  function dropOldest(): void {
    let kept = [...sites.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    for (const [site, { bytes }] of sites) {
      if (sites.size <= MAX_SITES && kept <= MAX_KEPT_BYTES) return;
      sites.delete(site);
      kept -= bytes;
    }
  }

  return {
    async check(url, call) {
      const robotsUrl = new URL('/robots.txt', url).href;
      if (url.href === robotsUrl) return;
      const rules = await rulesOf(robotsUrl);
      if (rules === ALLOWED) return;
      if (rules === UNREACHABLE) {
        throw new WebFetchError(
          'URL_ROBOTS_UNREACHABLE',
          'the robots.txt of the site cannot be read, so that its pages must not be crawled',
          { retryable: true },
        );
      }
      const allowed = await parser
        .isAllowed({ rules: rules.text, robotsUrl, url: url.href }, call)
        .catch((error: unknown) => {
          if (!(error instanceof UnreadablePage)) throw error;
          // The rules are unknown, so nothing is allowed.
          throw new WebFetchError(
            'URL_ROBOTS_UNREADABLE',
            'the robots.txt of the site takes too long to read, so that its pages must not be crawled',
            { cause: error },
          );
        });
      if (!allowed)
        throw new WebFetchError('URL_DISALLOWED', 'the robots.txt of the site does not allow crawling it');
    },
  };
}

/** "unavailable" (4xx): everything is allowed; "unreachable" (5xx, no answer): nothing is. Never fails. */
async function fetchRules(web: WebFetch, robotsUrl: string): Promise<Rules> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let requests = 0;
  try {
    const { content } = await web.request(robotsUrl, {
      accept: 'text/plain, */*;q=0.5',
      // Longer content is cut off below.
      maxBytes: Number.MAX_SAFE_INTEGER,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      admit: async () => void (requests += 1),
    });
    for await (const chunk of content as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= MAX_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof WebFetchError)) return UNREACHABLE;
    const { code, status = 0 } = error;
    // RFC 9309 2.3.1.2: after five redirects, the file may be considered unavailable.
    const unavailable =
      code === 'URL_TOO_MANY_REDIRECTS' || (status >= 400 && status < 500 && status !== 429);
    // If the address of the site itself is refused, fetching the page will fail with that reason.
    const refused = code === 'URL_ADDRESS_REFUSED' && requests === 1;
    return unavailable || refused ? ALLOWED : UNREACHABLE;
  }
  const text = Buffer.concat(chunks).subarray(0, MAX_BYTES).toString('utf8');
  return text.trim() === '' ? ALLOWED : { text };
}
