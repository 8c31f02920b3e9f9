import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath } from './binaries.ts';
import type { Env, ProcessPlan } from '../processes/program.ts';
import { StackError } from '../processes/stack-error.ts';

/** The vector index: a Qdrant elsewhere, one to start, or LanceDB inside the processes that use it. */
export type VectorIndexChoice = { url: string } | { qdrant: string; folder: string } | { lancedb: string };

/**
 * Chooses the Qdrant at `url` if there is one, else Qdrant if it is on PATH, else LanceDB. An existing home keeps its choice, because the other index has none of
 * its vectors.
 *
 * @throws StackError if the home's vectors are in Qdrant and it is no longer on PATH
 */
export async function chooseVectorIndex(
  home: string,
  env: Env,
  url: string | undefined,
): Promise<VectorIndexChoice> {
  if (url !== undefined) return { url };
  const lancedb = join(home, 'lancedb');
  const folder = join(home, 'qdrant');
  const qdrant = await findOnPath('qdrant', env);
  if (existsSync(folder) && qdrant === undefined) {
    throw new StackError(`The vectors in ${folder} need \`qdrant\`, which is not on PATH: install it.`);
  }
  if (qdrant === undefined || existsSync(lancedb)) {
    mkdirSync(lancedb, { recursive: true, mode: 0o700 });
    return { lancedb };
  }
  return { qdrant, folder };
}

/** How to run Qdrant on loopback. */
export function planQdrant(options: {
  binary: string;
  folder: string;
  ports: { http: number; grpc: number };
  env: Env;
  logFile: string;
}): ProcessPlan {
  const { folder, ports } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    name: 'qdrant',
    title: 'Vector index (Qdrant)',
    kind: 'server',
    command: options.binary,
    args: [],
    env: {
      PATH: options.env.PATH,
      QDRANT__SERVICE__HOST: '127.0.0.1',
      QDRANT__SERVICE__HTTP_PORT: String(ports.http),
      QDRANT__SERVICE__GRPC_PORT: String(ports.grpc),
      QDRANT__STORAGE__STORAGE_PATH: join(folder, 'storage'),
      QDRANT__STORAGE__SNAPSHOTS_PATH: join(folder, 'snapshots'),
      QDRANT__TELEMETRY_DISABLED: 'true',
    },
    cwd: folder,
    logFile: options.logFile,
    ready: async () => {
      const answer = await fetch(`http://127.0.0.1:${ports.http}/readyz`, {
        signal: AbortSignal.timeout(1_000),
      });
      return answer.ok;
    },
    readyWithinMs: 60_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: 15_000,
  };
}
