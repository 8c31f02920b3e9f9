import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { findBinary } from '../../dev/servers/binaries.ts';
import { eventually } from '../support/api.ts';
import { freePort } from '../support/free-port.ts';

const FETCHED_WITHIN_MS = 5 * 60_000;

export interface Caddy {
  origin: string;
  stop: () => Promise<void>;
}

/**
 * The proxy of docker-compose.yml with its `Caddyfile`, in which addresses stand for the name that a network of containers
 * resolves.
 *
 * @param folder for its settings
 * @param ports of the replicas of the API, whether or not something listens there
 */
export async function startCaddy(folder: string, ports: readonly number[]): Promise<Caddy> {
  const program = await findBinary('caddy', {
    env: process.env,
    signal: AbortSignal.timeout(FETCHED_WITHIN_MS),
  });
  const [port, store, health] = [await freePort(), await freePort(), await freePort()];
  const settings = join(folder, 'Caddyfile');
  const replicas = `to ${ports.map((each) => `127.0.0.1:${each}`).join(' ')}`;
  const text = read('Caddyfile')
    .replace(/dynamic a api 8080 \{[^}]*\}/, replicas)
    .replace('127.0.0.1:8081', `127.0.0.1:${health}`);
  if (!text.includes(replicas)) throw new Error('The Caddyfile names its replicas in another way.');
  writeFileSync(settings, text);
  const args = ['run', '--config', settings, '--adapter', 'caddyfile'];
  const child = spawn(program, args, {
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      API_SITE: `http://127.0.0.1:${port}`,
      S3_SITE: `http://127.0.0.1:${store}`,
    },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  await eventually(() => fetch(`http://127.0.0.1:${health}/`), 60).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { origin: `http://127.0.0.1:${port}`, stop };
}

function read(name: string): string {
  return readFileSync(join(PROJECT_ROOT, name), 'utf8');
}
