import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AwsV4Signer } from 'aws4fetch';
import { s3Config, type S3Config } from '../../../adapters/object-store/config.ts';
import {
  createPresignGet,
  createPresignParts,
  createPresignPut,
} from '../../../adapters/object-store/presign.ts';
import { copySource, publicS3Url, s3Url } from '../../../adapters/object-store/s3-request.ts';
import { ConfigError, readConfig } from '../../../domain/schemas/read-config.ts';

const SETTINGS = {
  S3_ENDPOINT: 'https://s3.eu-central-1.example.com',
  S3_REGION: 'eu-central-1',
  S3_BUCKET: 'media',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
};
const below = readConfig([s3Config], SETTINGS);
const hosts = readConfig([s3Config], { ...SETTINGS, S3_FORCE_PATH_STYLE: 'false' });
const published = { ...hosts, S3_PUBLIC_ENDPOINT: 'https://cdn.example.com:8443' };
const temporary = readConfig([s3Config], { ...SETTINGS, S3_SESSION_TOKEN: 'a/token+of=minutes' });

test('the bucket is in the path or in the host name', () => {
  assert.equal(s3Url(below, 'a/b c').href, 'https://s3.eu-central-1.example.com/media/a/b%20c');
  assert.equal(s3Url(below, 'a/').href, 'https://s3.eu-central-1.example.com/media/a/');
  assert.equal(s3Url(below).href, 'https://s3.eu-central-1.example.com/media');
  assert.equal(s3Url(hosts, 'a/b c').href, 'https://media.s3.eu-central-1.example.com/a/b%20c');
  assert.equal(s3Url(hosts).href, 'https://media.s3.eu-central-1.example.com/');
  assert.equal(publicS3Url(published, 'a').href, 'https://media.cdn.example.com:8443/a');
  assert.equal(copySource(hosts, 'a/b c'), '/media/a/b%20c');
});

test('an endpoint that is an IP address has no bucket host names', () => {
  const env = { ...SETTINGS, S3_ENDPOINT: 'http://127.0.0.1:8333', S3_FORCE_PATH_STYLE: 'false' };
  assert.throws(() => readConfig([s3Config], env), ConfigError);
});

/** The URL as the AWS signer of a library makes it, from the time and lifetime of the given one. */
async function signedByLibrary(
  config: S3Config,
  url: string,
  { method, headers = {} }: { method: string; headers?: Record<string, string> },
): Promise<URL> {
  const unsigned = new URL(url);
  const datetime = unsigned.searchParams.get('X-Amz-Date') ?? '';
  const isSigners = (name: string) => name.startsWith('X-Amz-') && name !== 'X-Amz-Expires';
  const names = Array.from(unsigned.searchParams.keys()).filter(isSigners);
  for (const name of names) unsigned.searchParams.delete(name);
  const { S3_SESSION_TOKEN: sessionToken } = config;
  const signed = await new AwsV4Signer({
    method,
    url: unsigned.href,
    headers,
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    ...(sessionToken !== undefined && { sessionToken }),
    region: 'eu-central-1',
    service: 's3',
    datetime,
    signQuery: true,
    allHeaders: true,
  }).sign();
  return signed.url;
}

function parametersOf(url: string | URL): [string, string][] {
  return [...new URL(url).searchParams].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const KEY = "tenants/a/b c+(d)'*!~ü&=?#%41.jpg";

for (const [title, config] of Object.entries({ below, hosts, published, temporary })) {
  test(`presigned URLs have the signature of another signer: ${title}`, async () => {
    const lifetime = { expiresInSeconds: 60, signedAt: new Date('2026-01-01T00:00:00Z') };
    const presignGet = createPresignGet(config);
    for (const options of [
      {},
      { filename: "Hafen (bei) 'Nacht' *ü*! + 100 %.jpg" },
      { disposition: 'inline' as const, contentType: 'image/svg+xml; charset=utf-8' },
    ]) {
      const get = await presignGet(KEY, { expiresInSeconds: 60, ...options });
      assert.deepEqual(
        parametersOf(get),
        parametersOf(await signedByLibrary(config, get, { method: 'GET' })),
      );
    }

    const presignPut = createPresignPut(config);
    for (const sha256 of [undefined, 'ab'.repeat(32)]) {
      const body = { contentType: 'image/png', sizeBytes: 5, sha256, ...lifetime };
      const { url, headers } = await presignPut(KEY, body);
      const expected = await signedByLibrary(config, url, {
        method: 'PUT',
        headers: { ...headers, 'Content-Length': '5' },
      });
      assert.deepEqual(parametersOf(url), parametersOf(expected));
      assert.equal(new URL(url).searchParams.get('X-Amz-Date'), '20260101T000000Z');
    }

    const [, last = ''] = await createPresignParts(config)(
      { key: KEY, uploadId: 'a+/=ü' },
      [1, 2].map((number) => ({ number, sizeBytes: 5 * number })),
      lifetime,
    );
    const headers = { 'Content-Length': '10' };
    assert.deepEqual(
      parametersOf(last),
      parametersOf(await signedByLibrary(config, last, { method: 'PUT', headers })),
    );
    assert.equal(new URL(last).searchParams.get('X-Amz-Security-Token'), config.S3_SESSION_TOKEN ?? null);
  });
}

test('each day has a signing key of its own, also when the clock goes back', async () => {
  const presignPut = createPresignPut(below);
  for (const day of ['2026-01-01', '2026-01-02', '2026-01-01']) {
    const signedAt = new Date(`${day}T23:59:59Z`);
    const { url, headers } = await presignPut('a', {
      contentType: 'image/png',
      sizeBytes: 5,
      expiresInSeconds: 60,
      signedAt,
    });
    const signed = await signedByLibrary(below, url, {
      method: 'PUT',
      headers: { ...headers, 'Content-Length': '5' },
    });
    assert.deepEqual(parametersOf(url), parametersOf(signed));
    assert.equal(
      new URL(url).searchParams.get('X-Amz-Date'),
      signedAt.toISOString().replaceAll(/[-:]|\.000/g, ''),
    );
  }
});
