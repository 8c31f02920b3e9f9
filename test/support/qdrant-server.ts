import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

export interface QdrantServer {
  url: string;
  /** Empty if it needs none. */
  apiKey: string;
  stop(): Promise<void>;
}

/**
 * Finds a Qdrant server: the one at QDRANT_URL, with QDRANT_API_KEY, else a program on PATH, which is started on free
 * loopback ports with its data in a temporary folder.
 *
 * @returns a function that starts it; undefined if there is neither
 */
export function findQdrant(env: NodeJS.ProcessEnv): (() => Promise<QdrantServer>) | undefined {
  const { QDRANT_URL: url, QDRANT_API_KEY: apiKey = '' } = env;
  if (url) return () => Promise.resolve({ url, apiKey, stop: () => Promise.resolve() });
  return spawnSync('qdrant', ['--version']).status === 0 ? () => startQdrant(env) : undefined;
}

async function startQdrant(env: NodeJS.ProcessEnv): Promise<QdrantServer> {
  const folder = await mkdtemp(join(tmpdir(), 'qdrant-'));
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const child = spawn('qdrant', ['--disable-telemetry'], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      ...env,
      QDRANT__SERVICE__HOST: '127.0.0.1',
      QDRANT__SERVICE__HTTP_PORT: String(httpPort),
      QDRANT__SERVICE__GRPC_PORT: String(grpcPort),
      QDRANT__STORAGE__STORAGE_PATH: join(folder, 'storage'),
      QDRANT__STORAGE__SNAPSHOTS_PATH: join(folder, 'snapshots'),
    },
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${httpPort}`;
  const deadline = Date.now() + 20_000;
  while (!(await answers(`${url}/readyz`))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error('qdrant is on PATH but did not become ready within 20 seconds');
    }
    await delay(100);
  }
  return { url, apiKey: '', stop };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}
