import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AwsV4Signer } from 'aws4fetch';
import { s3Config } from '../../../adapters/object-store/config.ts';
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
const temporary = readConfig([s3Config], { ...SETTINGS, S3_SESSION_TOKEN: 'a/token+of=minutes' });

test('the bucket is in the path or in the host name', () => {
  assert.equal(s3Url(below, 'a/b c').href, 'https://s3.eu-central-1.example.com/media/a/b%20c');
  assert.equal(s3Url(below).href, 'https://s3.eu-central-1.example.com/media');
  assert.equal(s3Url(hosts, 'a/b c').href, 'https://media.s3.eu-central-1.example.com/a/b%20c');
  assert.equal(s3Url(hosts).href, 'https://media.s3.eu-central-1.example.com/');
  const published = { ...hosts, S3_PUBLIC_ENDPOINT: 'https://cdn.example.com:8443' };
  assert.equal(publicS3Url(published, 'a').href, 'https://media.cdn.example.com:8443/a');
  assert.equal(copySource(hosts, 'a/b c'), '/media/a/b%20c');
});

test('an endpoint that is an IP address has no bucket host names', () => {
  const env = { ...SETTINGS, S3_ENDPOINT: 'http://127.0.0.1:8333', S3_FORCE_PATH_STYLE: 'false' };
  assert.throws(() => readConfig([s3Config], env), ConfigError);
});

test('presigned URLs contain the token of temporary credentials and sign it', async () => {
  const lifetime = { expiresInSeconds: 60, signedAt: new Date('2026-01-01T00:00:00Z') };
  const upload = { key: 'a', uploadId: 'u' };
  const [part = ''] = await createPresignParts(temporary)(upload, [{ number: 1, sizeBytes: 5 }], lifetime);
  const expected = await new AwsV4Signer({
    method: 'PUT',
    url: `${s3Url(temporary, 'a').href}?X-Amz-Expires=60&partNumber=1&uploadId=u`,
    headers: { 'Content-Length': '5' },
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    sessionToken: 'a/token+of=minutes',
    region: 'eu-central-1',
    service: 's3',
    datetime: '20260101T000000Z',
    signQuery: true,
    allHeaders: true,
  }).sign();
  const parameters = (url: string | URL) =>
    [...new URL(url).searchParams].toSorted(([a], [b]) => (a < b ? -1 : 1));
  assert.deepEqual(parameters(part), parameters(expected.url));

  const put = await createPresignPut(temporary)('a', { contentType: 'image/png', sizeBytes: 5, ...lifetime });
  const get = await createPresignGet(temporary)('a', lifetime);
  for (const url of [part, put.url, get]) {
    assert.equal(new URL(url).searchParams.get('X-Amz-Security-Token'), 'a/token+of=minutes');
  }
});
