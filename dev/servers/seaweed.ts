import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, rename, writeFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { createFullDiskCheck } from '../../adapters/object-store/full-disk-check.ts';
import { assertNotHeld } from '../processes/data-holders.ts';
import { type Env, type ProcessPlan, tail } from '../processes/program.ts';

/** SeaweedFS reads this file from its working directory. */
const SECURITY_FILE = 'security.toml';
/** Self-signed, so it is its own authority. */
export const CERTIFICATE_FILE = 'internal-cert.pem';
export const KEY_FILE = 'internal-key.pem';
const GRPC_PARTS = ['master', 'volume', 'filer', 's3', 'admin', 'worker', 'client'];

/**
 * Makes SeaweedFS accept requests of other programs only on its S3 port, where they need a signature. By default each
 * of its servers answers any client that reaches its port: on loopback, every user of the machine and every web page in
 * a browser.
 *
 * Writes the keys that its servers use among themselves, unless the folder has them: tokens for the HTTP ports of filer
 * and volume server, and a certificate for all gRPC ports and for the HTTP port of the master, which does not support
 * tokens.
 *
 * @param folder the working directory of SeaweedFS
 * @param mode   of the files: readable by others only where SeaweedFS runs as another user in a separate container
 */
export async function writeSeaweedKeys(folder: string, mode = 0o600): Promise<void> {
  const target = join(folder, SECURITY_FILE);
  if (existsSync(target)) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Loaded here: only the first start of a folder needs it.
  const { generate } = await import('selfsigned');
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'seaweedfs-internal' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date('2099-12-31T00:00:00Z'),
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true },
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
    ],
  });
  await writeFile(join(folder, CERTIFICATE_FILE), cert, { mode });
  await writeFile(join(folder, KEY_FILE), key, { mode });
  // Written last and atomically, because its existence marks the set as complete.
  const draft = `${target}.draft`;
  await writeFile(draft, securityToml(), { mode });
  await rename(draft, target);
}

/** Paths are relative to the folder, which may be moved. */
function securityToml(): string {
  const token = (name: string) => section(name, { key: randomBytes(32).toString('base64url') });
  const pair = { cert: CERTIFICATE_FILE, key: KEY_FILE };
  return [
    ...['jwt.signing', 'jwt.signing.read', 'jwt.filer_signing', 'jwt.filer_signing.read'].map(token),
    section('https.master', { ...pair, ca: CERTIFICATE_FILE }),
    section('grpc', { ca: CERTIFICATE_FILE }),
    ...GRPC_PARTS.map((name) => section(`grpc.${name}`, pair)),
  ].join('\n');
}

/** JSON strings are valid in TOML. */
function section(name: string, values: Record<string, string>): string {
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  return `[${name}]\n${lines.join('')}`;
}

interface ObjectStoreAccess {
  accessKeyId: string;
  secretAccessKey: string;
  bucket: string;
}

/** SeaweedFS runs five servers in one process, each with an HTTP and a gRPC port. */
interface SeaweedPorts {
  s3: number;
  s3Grpc: number;
  master: number;
  masterGrpc: number;
  volume: number;
  volumeGrpc: number;
  filer: number;
  filerGrpc: number;
  /** Its gRPC port must be this one + 10000: parts of SeaweedFS assume so. */
  admin: number;
}

export const ADMIN_GRPC_ABOVE = 10_000;
const ANSWERS_WITHIN_MS = 2_000;

/**
 * Plans how to run SeaweedFS as an S3 server on loopback, with one bucket and one identity; its internal ports accept
 * only its own requests. Ready once bucket and identity are usable.
 */
export function planSeaweed(options: {
  binary: string;
  folder: string;
  ports: SeaweedPorts;
  access: ObjectStoreAccess;
  env: Env;
  logFile: string;
}): ProcessPlan {
  const { folder, ports, access } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { bucket, ...keys } = access;
  const store = new AwsClient({ ...keys, service: 's3', region: 'us-east-1', retries: 0 });
  const url = `http://127.0.0.1:${ports.s3}/${bucket}`;
  const addresses = ['-ip=127.0.0.1', '-ip.bind=127.0.0.1'];
  const portFlags = [
    `-s3.port=${ports.s3}`,
    `-s3.port.grpc=${ports.s3Grpc}`,
    `-master.port=${ports.master}`,
    `-master.port.grpc=${ports.masterGrpc}`,
    `-volume.port=${ports.volume}`,
    `-volume.port.grpc=${ports.volumeGrpc}`,
    `-filer.port=${ports.filer}`,
    `-filer.port.grpc=${ports.filerGrpc}`,
    `-admin.port=${ports.admin}`,
    `-admin.port.grpc=${ports.admin + ADMIN_GRPC_ABOVE}`,
  ];
  const off = ['-webdav=false', '-admin.ui=false', '-s3.port.iceberg=0', '-s3.port.lance=0'];
  return {
    name: 's3',
    title: 'S3 (SeaweedFS)',
    kind: 'server',
    command: options.binary,
    args: [
      // By default it logs to files in /tmp.
      '-logtostderr=true',
      'mini',
      `-dir=${folder}`,
      `-bucket=${bucket}`,
      ...addresses,
      ...portFlags,
      ...off,
      '-master.telemetry=false',
      // The delay before shutdown is meant for load balancers.
      '-volume.preStopSeconds=0',
    ],
    env: {
      PATH: options.env.PATH,
      // The user's home may contain the configuration of another SeaweedFS.
      HOME: folder,
      AWS_ACCESS_KEY_ID: access.accessKeyId,
      AWS_SECRET_ACCESS_KEY: access.secretAccessKey,
    },
    cwd: folder,
    logFile: options.logFile,
    ready: async () =>
      (await store.fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })).ok,
    readyWithinMs: 60_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: 15_000,
    beforeStart: async () => {
      await assertNotHeld(folder);
      await writeSeaweedKeys(folder);
    },
    needsRestart: createIndexCheck(folder, options.logFile),
    afterStop: () => removeSockets(Object.values(ports)),
  };
}

/** Logged when a write to its index of names fails. LevelDB then refuses all others until it is opened again. */
const INDEX_FAILED = /^.*filerldb2\/.*: no space left on device$/gm;
const TAIL_BYTES = 64 * 1024;

/** Tells whether a write to the index has failed since the last restart, and the disk has space again. */
function createIndexCheck(folder: string, logFile: string): () => Promise<string | undefined> {
  const disk = createFullDiskCheck(folder);
  let handled: string | undefined;
  return async () => {
    const failure = tail(logFile, TAIL_BYTES).match(INDEX_FAILED)?.at(-1);
    if (failure === undefined || failure === handled || !(await disk.hasRoom())) return undefined;
    handled = failure;
    return 'does not work since its disk was full';
  };
}

/** SeaweedFS leaves sockets named after its ports in /tmp. */
async function removeSockets(ports: number[]): Promise<void> {
  const ours = new RegExp(
    `^seaweedfs-.*-(${ports.flatMap((port) => [port, port + ADMIN_GRPC_ABOVE]).join('|')})\\.sock$`,
  );
  const names = (await readdir('/tmp')).filter((name) => ours.test(name));
  await Promise.all(names.map((name) => rm(join('/tmp', name), { force: true })));
}
