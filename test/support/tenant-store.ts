import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { Client as MinioClient } from 'minio';
import { claimPorts, STORE_PORTS } from '../../dev/launcher/ports.ts';
import { runProgram, signalProcess } from '../../dev/processes/program.ts';
import { findBinary } from '../../dev/servers/binaries.ts';
import { planSeaweed } from '../../dev/servers/seaweed.ts';
import { eventually } from './api.ts';
import { collect } from './collect.ts';

/** The body of POST /tenant/storage-config for a tenant's own bucket. */
export interface OwnBucket {
  access_key_id: string;
  secret_access_key: string;
  bucket_name: string;
  region: string;
  endpoint: string;
}

/** An object store outside the stack, with users and buckets. */
export interface TenantStore {
  endpoint: string;
  /** The administrator, with all rights. */
  admin: MinioClient;
  adminKey: Pick<OwnBucket, 'access_key_id' | 'secret_access_key'>;
  /** Creates a bucket, and a user with access to this bucket only. */
  createBucket(name: string): Promise<OwnBucket>;
  /** Creates another key for the user of a bucket. */
  renewKey(bucket: OwnBucket): Promise<OwnBucket>;
  /** Deletes the key of a bucket's user. */
  revokeKey(bucket: OwnBucket): Promise<void>;
  /** The keys of all objects in a bucket. */
  keysIn(bucket: OwnBucket): Promise<string[]>;
  stop(): Promise<void>;
}

const ROOT = { accessKeyId: 'ADMINISTRATOR', secretAccessKey: 'administrators-secret' };
const REGION = 'us-east-1';
const STARTED_WITHIN_MS = 60_000;

/** Starts an S3 server next to the stack, with an API for users and keys. */
export async function startTenantStore(): Promise<TenantStore> {
  const folder = await mkdtemp(join(tmpdir(), 'tenant-store-'));
  const ports = await claimPorts({ s3: { wanted: 0 }, ...STORE_PORTS }, {});
  const plan = planSeaweed({
    binary: await findBinary('weed', { env: process.env, signal: AbortSignal.timeout(STARTED_WITHIN_MS) }),
    folder,
    ports,
    access: { ...ROOT, bucket: 'administrators' },
    env: process.env,
    logFile: join(folder, 'log'),
  });
  await plan.beforeStart?.();
  const program = await runProgram({ ...plan, args: [...plan.args, '-s3.iam.readOnly=false'] });
  const stop = async () => {
    signalProcess(program.pid, 'SIGTERM');
    await program.ended;
    await plan.afterStop?.();
    await rm(folder, { recursive: true, force: true });
  };
  const endpoint = `http://127.0.0.1:${ports.s3}`;
  const admin = new MinioClient({
    endPoint: '127.0.0.1',
    port: ports.s3,
    useSSL: false,
    region: REGION,
    accessKey: ROOT.accessKeyId,
    secretKey: ROOT.secretAccessKey,
  });
  const signer = new AwsClient({ ...ROOT, region: REGION, service: 'iam' });

  async function iam(action: string, parameters: Record<string, string>): Promise<string> {
    const response = await signer.fetch(`${endpoint}/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ Version: '2010-05-08', Action: action, ...parameters }).toString(),
    });
    const text = await response.text();
    assert.equal(response.status, 200, `${action}: ${text}`);
    return text;
  }

  /** Creates a key for the user of a bucket, who has the name of the bucket, and waits until the store accepts it. */
  async function createKey(bucket: string): Promise<OwnBucket> {
    const answer = await iam('CreateAccessKey', { UserName: bucket });
    const [, id = ''] = /<AccessKeyId>([^<]+)</.exec(answer) ?? [];
    const [, secret = ''] = /<SecretAccessKey>([^<]+)</.exec(answer) ?? [];
    const user = new MinioClient({
      endPoint: '127.0.0.1',
      port: ports.s3,
      useSSL: false,
      region: REGION,
      accessKey: id,
      secretKey: secret,
    });
    await eventually(async () => assert.ok(await user.bucketExists(bucket)));
    return {
      access_key_id: id,
      secret_access_key: secret,
      bucket_name: bucket,
      region: REGION,
      endpoint,
    };
  }

  try {
    await eventually(async () => assert.ok(await plan.ready(program.pid)), STARTED_WITHIN_MS / 1000);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    endpoint,
    admin,
    adminKey: { access_key_id: ROOT.accessKeyId, secret_access_key: ROOT.secretAccessKey },
    async createBucket(name) {
      await admin.makeBucket(name, REGION);
      await iam('CreateUser', { UserName: name });
      const Resource = [`arn:aws:s3:::${name}`, `arn:aws:s3:::${name}/*`];
      const policy = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: ['s3:*'], Resource }] };
      const document = { PolicyName: 'own', PolicyDocument: JSON.stringify(policy) };
      await iam('PutUserPolicy', { UserName: name, ...document });
      return createKey(name);
    },
    renewKey: ({ bucket_name: bucket }) => createKey(bucket),
    async revokeKey({ bucket_name: bucket, access_key_id: id, secret_access_key: secret }) {
      await iam('DeleteAccessKey', { UserName: bucket, AccessKeyId: id });
      const user = new AwsClient({ accessKeyId: id, secretAccessKey: secret, region: REGION, service: 's3' });
      await eventually(async () => {
        const { status } = await user.fetch(`${endpoint}/${bucket}?list-type=2`);
        assert.equal(status, 403);
      });
    },
    async keysIn({ bucket_name: bucket }) {
      const found = await collect<{ name?: string }>(admin.listObjectsV2(bucket, '', true));
      return found.map(({ name = '' }) => name);
    },
    stop,
  };
}
