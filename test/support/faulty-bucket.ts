import http from 'node:http';
import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';

export interface FaultyObject {
  bytes: Buffer;
  /** What the listing says, if not the truth. */
  listedSize?: number;
  listedEtag?: string;
  /** What a request for it gets instead of its bytes. */
  fault?: 'hangs' | 'denied' | 'breaks off' | 'endless' | 'gone' | 'comes back';
}

/** How the listing goes on after its objects: it ends, or is endless in one of two ways. */
export type ListingFault = 'repeats' | 'is endless' | 'hangs' | 'is no listing' | 'is denied';

/** A bucket of an S3-compatible store that misbehaves. */
export interface FaultyBucket {
  endpoint: string;
  objects: Map<string, FaultyObject>;
  listing: ListingFault | undefined;
  /** Requests for objects, by key. */
  reads: Map<string, number>;
  close(): Promise<void>;
}

const escape = (text: string) => encodeURIComponent(text).replaceAll('%2F', '/');

/** Starts a bucket of any name. Pages have at most as many keys as are asked for. */
export async function startFaultyBucket(): Promise<FaultyBucket> {
  const objects = new Map<string, FaultyObject>();
  const reads = new Map<string, number>();
  let invented = 0;

  function list(query: URLSearchParams, response: http.ServerResponse): void {
    const most = Number(query.get('max-keys') ?? 1000);
    const prefix = query.get('prefix') ?? '';
    const from = Number(query.get('continuation-token') ?? 0);
    const all = [...objects].filter(([key]) => key.startsWith(prefix));
    const page = all.slice(from, from + most).map(([key, { bytes, listedSize, listedEtag }]) => ({
      key,
      size: listedSize ?? bytes.length,
      etag: listedEtag ?? etagOf(bytes),
    }));
    if (bucket.listing === 'is endless') {
      for (let i = 0; i < most; i += 1) page.push({ key: `invented/${(invented += 1)}`, size: 1, etag: 'e' });
    }
    const endless = bucket.listing === 'is endless' || bucket.listing === 'repeats';
    const next = bucket.listing === 'repeats' ? 0 : from + most;
    const more = endless || next < all.length;
    const contents = page.map(
      ({ key, size, etag }) =>
        `<Contents><Key>${escape(key)}</Key><ETag>&quot;${etag}&quot;</ETag><Size>${size}</Size></Contents>`,
    );
    response.end(
      `<?xml version="1.0"?><ListBucketResult><IsTruncated>${more}</IsTruncated>${contents.join('')}` +
        `${more ? `<NextContinuationToken>${next}</NextContinuationToken>` : ''}</ListBucketResult>`,
    );
  }

  function read(key: string, response: http.ServerResponse, wanted: string | undefined): void {
    reads.set(key, (reads.get(key) ?? 0) + 1);
    const object = objects.get(key);
    if (!object || object.fault === 'gone') return void response.writeHead(404).end();
    const { bytes, fault } = object;
    if (fault === 'hangs') return;
    if (fault === 'comes back' && (reads.get(key) ?? 0) < 3) return void response.destroy();
    if (fault === 'denied') {
      return void response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
    }
    const etag = `"${etagOf(bytes)}"`;
    if (wanted !== undefined && wanted !== etag && object.listedEtag === undefined) {
      return void response.writeHead(412).end();
    }
    if (fault === 'endless') {
      response.writeHead(200);
      const more = (): void => void (response.destroyed || response.write(bytes, () => setImmediate(more)));
      return more();
    }
    response.writeHead(200, { etag, 'content-length': bytes.length });
    if (fault !== 'breaks off') return void response.end(bytes);
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
  }

  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://bucket');
    const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
    if (key !== '') return read(key, response, request.headers['if-match']);
    if (bucket.listing === 'hangs') return undefined;
    if (bucket.listing === 'is no listing') return void response.end('<html></html>');
    if (bucket.listing === 'is denied') {
      return void response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
    }
    return list(url.searchParams, response);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const bucket: FaultyBucket = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    listing: undefined,
    reads,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return bucket;
}

function etagOf(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}
