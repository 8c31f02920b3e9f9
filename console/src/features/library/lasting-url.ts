const LASTS_MS = 45 * 60_000;
const KEPT = 5000;
const known = new Map<string, { url: string; until: number }>();

/**
 * The URL under which a picture was read first, as long as it is valid: the store signs another one for each answer,
 * and the browser would load the picture again.
 *
 * @param url presigned, valid for an hour
 */
export function lastingUrl(url: string, now = Date.now()): string {
  const [path = url] = url.split('?', 1);
  const former = known.get(path);
  if (former && former.until > now) return former.url;
  known.delete(path);
  known.set(path, { url, until: now + LASTS_MS });
  const [oldest] = known.size > KEPT ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
  return url;
}
