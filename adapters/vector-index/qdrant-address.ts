/**
 * Splits a Qdrant URL into the options of its client, which by itself would drop a path, and an explicit `:443` or
 * `:80`, which URL parsing hides.
 *
 * @param url for example `http://127.0.0.1:6333` or `https://example.com:443/qdrant`; the port is 6333 unless given
 */
export function qdrantAddress(url: string): { url: string; port: number; prefix?: string } {
  const { origin, pathname } = new URL(url);
  const port = /^https?:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(url)?.[1];
  const prefix = pathname.replace(/(?<!\/)\/+$/, '');
  return { url: origin, port: port === undefined ? 6333 : Number(port), ...(prefix && { prefix }) };
}
