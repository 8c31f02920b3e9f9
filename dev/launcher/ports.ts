import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DevConfig } from '../config.ts';
import { isErrno, readJson, writeJson } from '../processes/json-file.ts';
import { StackError } from '../processes/stack-error.ts';
import { ADMIN_GRPC_ABOVE } from '../servers/seaweed.ts';
import type { Home } from './home.ts';

/** One port the stack needs. */
interface PortRequest {
  /** The port number, 0 for any. */
  wanted: number;
  /** The setting that configures it; undefined for an internal port. */
  setting?: string;
  /** Address to bind to, 127.0.0.1 by default. */
  host?: string;
  /** Offset of a second port that the server always opens. */
  alsoAbove?: number;
}

/** Below the ephemeral ranges of Linux and macOS, so that no outgoing connection can take a port first. */
const RANDOM = { from: 10_000, to: 22_000 };
/** Contains one empty file per port that was recently assigned to a stack, which may not have opened it yet. */
const CLAIMS = join(tmpdir(), 'darkroom-ports');
const CLAIMED_FOR_MS = 120_000;

/**
 * Finds a free port for each request.
 *
 * @param remembered ports of the last start by name, reused for port 0 if they are still free
 * @throws StackError naming every configured port that is in use
 */
export async function claimPorts<Name extends string>(
  requests: Record<Name, PortRequest>,
  remembered: Partial<Record<string, number>>,
): Promise<Record<Name, number>> {
  const claimed: Record<string, number> = {};
  const taken: string[] = [];
  const used = new Set<number>();
  const usable = async (port: number, request: PortRequest) => {
    const all = request.alsoAbove === undefined ? [port] : [port, port + request.alsoAbove];
    const host = request.host ?? '127.0.0.1';
    const free = await Promise.all(all.map(async (each) => !used.has(each) && (await isFree(each, host))));
    if (free.includes(false)) return false;
    for (const each of all) used.add(each);
    return true;
  };

  const entries = Object.entries<PortRequest>(requests);
  for (const [name, request] of entries.filter(([, request]) => request.wanted !== 0)) {
    if (await usable(request.wanted, request)) claimed[name] = request.wanted;
    else taken.push(`${request.setting ?? name}=${request.wanted}`);
  }
  if (taken.length > 0) {
    const them = taken.length === 1 ? 'it' : 'them';
    throw new StackError(
      `Port already in use: ${taken.join(', ')}. Stop the other program, or set ${them} to another port (0 for any free one).`,
    );
  }
  for (const [name, request] of entries.filter(([, request]) => request.wanted === 0)) {
    let port = remembered[name];
    while (port === undefined || !(await usable(port, request))) {
      do port = randomInt(RANDOM.from, RANDOM.to);
      while (!claim(port) || (request.alsoAbove !== undefined && !claim(port + request.alsoAbove)));
    }
    claimed[name] = port;
  }
  return claimed;
}

/** Claims a port against other stacks that start at the same time. Returns whether it was free. */
function claim(port: number): boolean {
  const file = join(CLAIMS, String(port));
  try {
    mkdirSync(CLAIMS, { recursive: true });
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch (error) {
    // Not writable, for example another user's folder: continue without the claim, which is only a precaution.
    if (!isErrno(error, 'EEXIST')) return true;
  }
  const now = new Date();
  if (now.getTime() - statSync(file).mtimeMs < CLAIMED_FOR_MS) return false;
  utimesSync(file, now, now);
  return true;
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  try {
    const listening = once(server, 'listening');
    server.listen(port, host);
    await listening;
  } catch (error) {
    if (isErrno(error, 'EADDRINUSE')) return false;
    if (isErrno(error, 'EACCES')) {
      throw new StackError(`No permission to open port ${port}: choose a port above 1023.`);
    }
    if (isErrno(error, 'EADDRNOTAVAIL', 'ENOTFOUND')) {
      throw new StackError(`${host} is not an address of this machine: set HOST to one that is.`);
    }
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}

const ANY: PortRequest = { wanted: 0 };

/** The internal ports of an object store. */
export const STORE_PORTS = {
  s3Grpc: ANY,
  master: ANY,
  masterGrpc: ANY,
  volume: ANY,
  volumeGrpc: ANY,
  filer: ANY,
  filerGrpc: ANY,
  admin: { ...ANY, alsoAbove: ADMIN_GRPC_ABOVE },
};

/** Claims the configured and the internal ports of a stack; internal ones are reused from the last start where free. */
export async function claimStackPorts(config: DevConfig, home: Home) {
  const ports = await claimPorts(
    {
      api: { wanted: config.PORT, setting: 'PORT', host: config.HOST },
      postgres: { wanted: config.POSTGRES_PORT, setting: 'POSTGRES_PORT' },
      temporal: config.DARKROOM_TEMPORAL_ADDRESS
        ? ANY
        : { wanted: config.TEMPORAL_PORT, setting: 'TEMPORAL_PORT' },
      temporalUi: config.DARKROOM_TEMPORAL_ADDRESS
        ? ANY
        : { wanted: config.TEMPORAL_UI_PORT, setting: 'TEMPORAL_UI_PORT' },
      temporalHttp: ANY,
      temporalMetrics: ANY,
      s3: config.DARKROOM_S3_ENDPOINT ? ANY : { wanted: config.S3_PORT, setting: 'S3_PORT' },
      ...STORE_PORTS,
      qdrant: ANY,
      qdrantGrpc: ANY,
      worker: ANY,
      'worker-cpu': ANY,
      'worker-ocr': ANY,
    },
    (readJson(home.ports) as Record<string, number> | undefined) ?? {},
  );
  writeJson(home.ports, ports);
  return ports;
}
export type StackPorts = Awaited<ReturnType<typeof claimStackPorts>>;
