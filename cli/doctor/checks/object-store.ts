import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { s3Config, type S3Config } from '../../../adapters/object-store/config.ts';
import {
  ObjectStoreUnavailable,
  PartCopyUnsupported,
  type ObjectStore,
} from '../../../adapters/object-store/object-store.ts';
import { createS3ObjectStore } from '../../../adapters/object-store/s3-object-store.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import {
  connectionRemedy,
  explainError,
  type Area,
  type Report,
  isPrivateHost,
  reportClock,
} from '../run-checks.ts';

const WITHIN_MS = 10_000;
const PART_BYTES = 5 * 2 ** 20;
const contentType = 'application/octet-stream';

/** Checks that the object store is reachable, permits all operations, and enforces the conditions of presigned URLs. */
export const objectStore: Area = {
  name: 'Object store',
  slices: [s3Config],
  async check(env, report) {
    const config = readConfig([s3Config], env);
    const asked = Date.now();
    const answer = await fetch(config.S3_ENDPOINT, {
      method: 'HEAD',
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    report.ok('reachable', new URL(config.S3_ENDPOINT).origin);
    const date = answer.headers.get('date');
    if (date !== null) reportClock(report, new Date(date), asked);
    reportTls(config, report);

    const store = createS3ObjectStore(config);
    try {
      // Not ready(): it serves load balancers and gives up after two seconds.
      for await (const _ of store.list('doctor/')) break;
      report.ok('bucket', config.S3_BUCKET);
    } catch (error) {
      report.fail('bucket', explainError(error), remedy(error));
      return;
    }
    const key = `doctor/${randomUUID()}`;
    try {
      await reportRights(store, key, report);
      await reportPresigned(store, key, report);
      await reportPartCopy(store, key, report);
    } finally {
      await store.remove([key]).catch(() => undefined);
    }
    if (!(await store.hasRoom()))
      report.fail('room', 'the disk is full', 'free some space: uploads are rejected until then');
  },
  remedy,
};

function reportTls({ S3_ENDPOINT, S3_PUBLIC_ENDPOINT = S3_ENDPOINT }: S3Config, report: Report): void {
  const plain = [S3_ENDPOINT, S3_PUBLIC_ENDPOINT].find((url) => {
    const { protocol, hostname } = new URL(url);
    return protocol === 'http:' && !isPrivateHost(hostname);
  });
  if (plain === undefined)
    report.ok(
      'TLS',
      S3_ENDPOINT.startsWith('https:') ? 'on, certificate verified' : 'off, on a private address',
    );
  else
    report.warn(
      'TLS',
      `off for ${plain}: originals and presigned URLs are readable`,
      'use https:// endpoints',
    );
}

async function reportRights(store: ObjectStore, key: string, report: Report): Promise<void> {
  const bytes = randomBytes(1024);
  await store.put(key, bytes, { contentType });
  const same = (await store.read(key, { maxBytes: bytes.length })).equals(bytes);
  let listed = 0;
  for await (const object of store.list(key)) if (object.key === key) listed += 1;
  await store.remove([key]);
  if (listed === 0)
    report.fail('rights', 'a stored object is not listed', 'allow s3:ListBucket on the bucket');
  else if (same && (await store.stat(key)) === undefined) report.ok('rights', 'put, get, list, delete');
  else
    report.fail(
      'rights',
      'an object differs when read back, or remains after its deletion',
      'allow deletes; Darkroom needs no versioning',
    );
}

/** Sends a PUT as clients do: the store must reject bytes that differ from the signed checksum. */
async function reportPresigned(store: ObjectStore, key: string, report: Report): Promise<void> {
  const bytes = randomBytes(1024);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { url, headers } = await store.presignPut(key, {
    contentType,
    sizeBytes: bytes.length,
    sha256,
    expiresInSeconds: 60,
  });
  const put = (body: Uint8Array<ArrayBuffer>) =>
    fetch(url, { method: 'PUT', headers, body, signal: AbortSignal.timeout(WITHIN_MS) });
  const { origin } = new URL(url);
  let other: Response;
  try {
    other = await put(randomBytes(1024));
  } catch (error) {
    const detail = `${origin} cannot be reached from here: ${explainError(error)}`;
    report.warn('presigned', detail, 'check S3_PUBLIC_ENDPOINT, unless only clients can reach it');
    return;
  }
  const right = await put(bytes);
  if (!right.ok) {
    report.fail(
      'presigned',
      `${origin} answered ${right.status} to a presigned upload`,
      'check S3_PUBLIC_ENDPOINT: a proxy must keep the Host header and the path',
    );
  } else if (other.ok) {
    report.fail(
      'presigned',
      'bytes that do not match the signed checksum were stored',
      'use a store that checks x-amz-checksum-sha256',
    );
  } else report.ok('presigned', `${origin} accepts the signed bytes and rejects others (${other.status})`);
  await reportCors(url, origin, report);
}

async function reportCors(url: string, origin: string, report: Report): Promise<void> {
  const answer = await fetch(url, {
    method: 'OPTIONS',
    headers: { origin: 'https://example.com', 'access-control-request-method': 'PUT' },
    signal: AbortSignal.timeout(WITHIN_MS),
  });
  const allowed = answer.headers.get('access-control-allow-origin');
  if (answer.ok && allowed !== null) report.ok('CORS', 'browsers may upload from pages of other origins');
  else {
    report.warn(
      'CORS',
      `${origin} allows no pages of other origins`,
      'if browsers upload directly: a CORS rule with their origins, PUT, all headers, and ETag exposed',
    );
  }
}

/** Needed only to repair a multipart upload; without it, clients resend the parts. */
async function reportPartCopy(store: ObjectStore, key: string, report: Report): Promise<void> {
  await store.put(key, Buffer.alloc(PART_BYTES), { contentType });
  const upload = await store.initiateMultipart(`${key}.copy`, { contentType });
  try {
    await store.copyPart(key, { first: 0, last: PART_BYTES - 1 }, upload, 1);
    report.ok('copy of parts', 'supported');
  } catch (error) {
    if (!(error instanceof PartCopyUnsupported)) throw error;
    report.warn(
      'copy of parts',
      'not supported',
      'nothing to do: clients resend the parts of an upload that fails verification',
    );
  } finally {
    await store.abortMultipart(upload);
  }
}

function remedy(error: unknown): string {
  const text = explainError(error);
  if (/status 404|NoSuchBucket/.test(text))
    return 'create the bucket S3_BUCKET, or correct its name and S3_REGION';
  if (/status 403|AccessDenied|InvalidAccessKey|SignatureDoesNotMatch/.test(text)) {
    return 'check the keys, S3_REGION and the policy: object get, put, delete, list, and multipart uploads';
  }
  if (/status 301|status 307|status 400/.test(text)) return 'check S3_REGION and S3_FORCE_PATH_STYLE';
  if (error instanceof ObjectStoreUnavailable && /RequestTimeTooSkewed/.test(text))
    return 'correct the clock of this machine';
  return connectionRemedy(error, 'NODE_EXTRA_CA_CERTS', 'check S3_ENDPOINT');
}
