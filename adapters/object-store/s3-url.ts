import type { S3Config } from './config.ts';

/** URL of a key, or of the bucket itself, for our own requests. */
export function s3Url(config: S3Config, key = '', query: Record<string, string> = {}): URL {
  return urlBelow(config.S3_ENDPOINT, config, key, query);
}

/** The same for clients: what presigned URLs start with. */
export function publicS3Url(config: S3Config, key: string, query: Record<string, string> = {}): URL {
  return urlBelow(config.S3_PUBLIC_ENDPOINT ?? config.S3_ENDPOINT, config, key, query);
}

/** How a copy names its source, in either style of URLs: bucket and key, escaped. */
export function copySource(config: S3Config, key: string): string {
  return `/${config.S3_BUCKET}/${escapeKey(key)}`;
}

function urlBelow(endpoint: string, config: S3Config, key: string, query: Record<string, string>): URL {
  const { S3_BUCKET: bucket, S3_FORCE_PATH_STYLE: pathStyle } = config;
  const url = new URL(endpoint);
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = `${pathStyle ? `/${bucket}` : ''}/${escapeKey(key)}`.replace(/\/$/, '');
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

const escapeKey = (key: string): string => key.split('/').map(escapeSegment).join('/');

/** As signatures require: all but unreserved characters are escaped. */
function escapeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Who signs a request, and for what, in the words of `AwsV4Signer`. */
export function signingIdentity(config: S3Config) {
  const { S3_SESSION_TOKEN: sessionToken } = config;
  return {
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    ...(sessionToken !== undefined && { sessionToken }),
    region: config.S3_REGION,
    service: 's3',
  };
}
