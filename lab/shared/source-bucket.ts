import { Client } from 'minio';
import { s3Config } from '../../adapters/object-store/config.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { type Body, Darkroom } from '../../sdk/src/index.ts';

const PUTS_AT_ONCE = 16;

/**
 * Fills a new bucket in the object store of a stack, and connects it for imports into the account of its key.
 *
 * @returns the source of such an import
 */
export async function createSourceBucket(
  stack: Stack,
  bucket: string,
  files: ReadonlyMap<string, string>,
): Promise<{ type: 'bucket'; connection_id: string }> {
  const { s3_endpoint: endpoint } = stack.runInfo;
  const { S3_ACCESS_KEY_ID: accessKey, S3_SECRET_ACCESS_KEY: secretKey } = s3Config.parse(stack.env);
  const { hostname: endPoint, port } = new URL(endpoint);
  const store = new Client({
    endPoint,
    port: Number(port),
    useSSL: false,
    accessKey,
    secretKey,
    region: 'us-east-1',
  });
  await store.makeBucket(bucket);
  const rest = files.entries();
  const put = async () => {
    for (const [key, text] of rest) await store.putObject(bucket, key, text);
  };
  await Promise.all(Array.from({ length: PUTS_AT_ONCE }, put));

  const keys = { access_key_id: accessKey, secret_access_key: secretKey };
  return connectBucket(stack, { bucket_name: bucket, region: 'us-east-1', endpoint, ...keys });
}

/** Connects a bucket for imports into the account of the key of a stack. */
export async function connectBucket(
  stack: Stack,
  address: Omit<Extract<Body<'/connections'>, { provider: 's3' }>, 'provider'>,
): Promise<{ type: 'bucket'; connection_id: string }> {
  const { api_url: baseUrl, tenants } = stack.runInfo;
  const { api } = new Darkroom({ baseUrl });
  const { email, password } = tenants.enterprise;
  const { response } = await api.POST('/auth/login', { body: { email, password } });
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { data } = await api.POST('/connections', {
    headers: { Cookie: cookie },
    body: { provider: 's3', ...address },
  });
  return { type: 'bucket', connection_id: data.id };
}

/** Names and contents of small text files, all different. */
export function textFiles(count: number, about: string): Map<string, string> {
  return new Map(
    Array.from({ length: count }, (_, i) => [
      `${String(i).padStart(5, '0')}.txt`,
      `Minutes of ${about}, number ${i}.\n\nThe harbour board met and agreed on berth ${i * 7}.\n`,
    ]),
  );
}
