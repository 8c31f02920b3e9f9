/** An object of a listing. */
export interface ListedSource {
  key: string;
  /** Without quotes; empty if the store names none. */
  etag: string;
  sizeBytes: number;
}

export interface ListedPage {
  objects: ListedSource[];
  /** For the next page; undefined on the last. */
  token: string | undefined;
}

/**
 * Reads the answer of ListObjectsV2 with URL-encoded keys, in time that is linear in its length. Hand-written, because the
 * parsers of XML at hand take a key of digits for a number, and trim others.
 *
 * @returns undefined for any other text
 */
export function parseListing(xml: string): ListedPage | undefined {
  const [head, ...contents] = xml.split('<Contents>');
  if (!head?.includes('<ListBucketResult')) return undefined;
  const objects: ListedSource[] = [];
  let rest = head;
  for (const text of contents) {
    const end = text.indexOf('</Contents>');
    if (end === -1) return undefined;
    const key = decodeKey(field(text, 'Key'));
    const size = Number(field(text, 'Size') ?? Number.NaN);
    if (key === undefined || !Number.isSafeInteger(size) || size < 0) return undefined;
    objects.push({ key, etag: etagOf(field(text, 'ETag')), sizeBytes: size });
    rest += text.slice(end);
  }
  if (field(rest, 'IsTruncated') !== 'true') return { objects, token: undefined };
  const token = field(rest, 'NextContinuationToken');
  return token === undefined ? undefined : { objects, token };
}

/** An ETag that cannot be sent in a header is treated as absent. */
function etagOf(text = ''): string {
  const etag = text.replaceAll('"', '');
  return /^[\x20-\x7e]*$/.test(etag) ? etag : '';
}

/** The text of the first element of this name; undefined without one. */
function field(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  const end = start === -1 ? -1 : xml.indexOf('<', start + 1);
  return end === -1 ? undefined : unescapeXml(xml.slice(start + name.length + 2, end));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g,
    (whole, decimal, hex, name) => {
      if (typeof name === 'string') return ENTITIES[name] ?? whole;
      const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

function decodeKey(escaped: string | undefined): string | undefined {
  if (escaped === undefined) return undefined;
  try {
    return decodeURIComponent(escaped.replaceAll('+', ' '));
  } catch {
    // A store that does not encode keys.
    return escaped;
  }
}
