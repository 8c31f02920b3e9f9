import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import { eventually } from './api.ts';
import { freePort } from './free-port.ts';

export interface Pooler {
  /** URL of the database through the pooler. */
  url: string;
  stop(): Promise<void>;
}

/** A function that starts PgBouncer in transaction mode in front of a database; undefined if it is not on PATH. */
export function findPgBouncer(): ((url: string) => Promise<Pooler>) | undefined {
  return spawnSync('pgbouncer', ['--version']).status === 0 ? startPgBouncer : undefined;
}

async function startPgBouncer(url: string): Promise<Pooler> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const listenPort = await freePort();
  const config = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  await writeFile(users, `"${username}" "${password}"\n`);
  await writeFile(
    config,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 5
`,
  );
  // PgBouncer refuses to run as root.
  await chmod(folder, 0o755);
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', ['-q', ...user, config], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  await eventually(async () => {
    const socket = connect(listenPort, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url: `postgresql://${username}:${password}@127.0.0.1:${listenPort}${pathname}`, stop };
}
