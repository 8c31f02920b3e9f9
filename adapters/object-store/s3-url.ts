/** Path-style URL of a key, or of the bucket itself. */
export function s3Url(endpoint: string, bucket: string, key = '', query: Record<string, string> = {}): URL {
  const url = new URL(endpoint);
  url.pathname = `/${bucket}/${key.split('/').map(encodeSegment).join('/')}`.replace(/\/$/, '');
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** As signatures require: all but unreserved characters are escaped. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
