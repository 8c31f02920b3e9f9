/** A failed fetch of a page. */
export interface FailedFetch {
  code: string;
  message: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
  /** HTTP status of an answer that was an error. */
  status?: number | undefined;
  retryAfterSeconds?: number | undefined;
}

/** Why a crawl failed, and whether another attempt may help. */
export interface CrawlFailure {
  code: string;
  message: string;
  isRetryable: boolean;
  /** From the site's `Retry-After`, within bounds. */
  retryAfterSeconds?: number;
}

/** Upper bound of the wait, even if the site asks for a longer one, since the file stays in progress. */
const LONGEST_WAIT_SECONDS = 300;

const OF_STATUS: Readonly<Record<number, { code: string; what: string }>> = {
  401: { code: 'PAGE_FORBIDDEN', what: 'the page needs a login' },
  403: { code: 'PAGE_FORBIDDEN', what: 'the site does not show the page to this service' },
  404: { code: 'PAGE_NOT_FOUND', what: 'there is no such page' },
  410: { code: 'PAGE_NOT_FOUND', what: 'the page is gone' },
  451: { code: 'PAGE_FORBIDDEN', what: 'the page is withheld for legal reasons' },
};

/** Maps the answer of a site to the reason shown to the client. */
export function crawlFailure(failed: FailedFetch): CrawlFailure {
  const { code, message, retryable, status, retryAfterSeconds } = failed;
  const known = status === undefined ? undefined : OF_STATUS[status];
  if (known) return { code: known.code, message: `${known.what}: ${message}`, isRetryable: false };
  return {
    code,
    message,
    isRetryable: retryable,
    ...(retryable &&
      retryAfterSeconds !== undefined && {
        retryAfterSeconds: Math.min(retryAfterSeconds, LONGEST_WAIT_SECONDS),
      }),
  };
}
