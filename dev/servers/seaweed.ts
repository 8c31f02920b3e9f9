import { readdir, rm } from 'node:fs/promises';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'minio';
import { assertNotHeld } from '../processes/data-holders.ts';
import type { Env, ProcessPlan } from '../processes/process-plan.ts';
import { writeSeaweedKeys } from './seaweed-keys.ts';

export interface ObjectStoreAccess {
  accessKeyId: string;
  secretAccessKey: string;
  bucket: string;
}

/** SeaweedFS runs five servers in one process, each with an HTTP and a gRPC port. */
export interface SeaweedPorts {
  s3: number;
  s3Grpc: number;
  master: number;
  masterGrpc: number;
  volume: number;
  volumeGrpc: number;
  filer: number;
  filerGrpc: number;
  /** Its gRPC port is always this one + 10000: part of SeaweedFS assumes so. */
  admin: number;
}

export const ADMIN_GRPC_ABOVE = 10_000;

/**
 * How to run SeaweedFS as an S3 server on loopback, with one bucket and one identity; its internal ports answer only
 * itself. Ready once bucket and identity are usable.
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
  const store = new Client({
    endPoint: '127.0.0.1',
    port: ports.s3,
    useSSL: false,
    accessKey: access.accessKeyId,
    secretKey: access.secretAccessKey,
    region: 'us-east-1',
  });
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
      `-bucket=${access.bucket}`,
      ...addresses,
      ...portFlags,
      ...off,
      '-master.telemetry=false',
      // A delay for load balancers, of which there are none here.
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
    ready: () => store.bucketExists(access.bucket),
    readyWithinMs: 60_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: 15_000,
    beforeStart: async () => {
      await assertNotHeld(folder);
      await writeSeaweedKeys(folder);
    },
    afterStop: () => removeSockets(Object.values(ports)),
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
