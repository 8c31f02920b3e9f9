import { existsSync } from 'node:fs';
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Env, type ProcessPlan, runTask } from '../processes/program.ts';
import { commandOf } from '../processes/process-identity.ts';
import { type PostgresPlace, findPostgresPlace } from './postgres-place.ts';

const DATABASE = 'darkroom';
/** One call for the file system instead of one for each of a thousand files, where the system has it. */
const SYNC_OF_NEW_CLUSTER = process.platform === 'linux' ? ['--sync-method=syncfs'] : [];

export interface PostgresOptions {
  home: string;
  homeId: string;
  port: number;
  password: string;
  /** False trades durability in a machine crash for speed: for the disposable data of tests. */
  fsync: boolean;
  env: Env;
  logFile: string;
  signal: AbortSignal;
}

/**
 * Creates the database cluster at the first start, and plans how to run it on loopback.
 *
 * @returns the plan, and the folder of the data
 */
export async function preparePostgres(
  options: PostgresOptions,
): Promise<{ plan: ProcessPlan; folder: string }> {
  const place = await findPostgresPlace(options.home, options.homeId);
  const data = join(place.folder, 'data');
  if (!existsSync(data)) await initialise(place, data, options);
  return { plan: planPostgres(place, data, options), folder: place.folder };
}

export function postgresUrl(port: number, password: string): string {
  return `postgresql://${DATABASE}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

function planPostgres(place: PostgresPlace, data: string, options: PostgresOptions): ProcessPlan {
  const pidFile = join(data, 'postmaster.pid');
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${options.port}`,
    'unix_socket_directories=',
    'max_connections=200',
    'timezone=UTC',
    'log_timezone=UTC',
    // For solid-state disks: the default overestimates the cost of index scans.
    'random_page_cost=1.1',
    // Not synchronous_commit=off, which loses acknowledged commits even if only the server is killed, not the machine.
    ...(options.fsync ? [] : ['fsync=off', 'full_page_writes=off']),
  ];
  return {
    name: 'postgres',
    title: 'Postgres',
    kind: 'server',
    command: join(place.bin, 'postgres'),
    args: ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    env: { PATH: options.env.PATH, LC_ALL: 'C' },
    cwd: place.folder,
    user: place.user,
    logFile: options.logFile,
    ready: async (pid) => {
      const lines = (await readFile(pidFile, 'utf8')).split('\n');
      return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
    },
    readyWithinMs: 60_000,
    // Fast shutdown: ends open sessions, loses no data.
    stopSignal: 'SIGINT',
    stopWithinMs: 20_000,
    beforeStart: () => removeStaleLock(pidFile, data),
    // Backends of a killed server take a moment to exit.
    retryable: /pre-existing shared memory block|lock file ".*" already exists/,
  };
}

/** A killed server leaves its lock file behind, and Postgres honours it if another process has reused the pid. */
async function removeStaleLock(pidFile: string, data: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const holder = commandOf(Number.parseInt(await readFile(pidFile, 'utf8'), 10));
  if (holder !== undefined && !holder.includes(data)) await rm(pidFile, { force: true });
}

/**
 * Creates the cluster in a draft folder that is renamed when complete, so that an interrupted start leaves no partial
 * one.
 */
async function initialise(place: PostgresPlace, data: string, options: PostgresOptions): Promise<void> {
  const draft = `${data}.draft`;
  const passwordFile = `${data}.password`;
  const task = {
    env: { PATH: options.env.PATH, LC_ALL: 'C' },
    cwd: place.folder,
    user: place.user,
    logFile: options.logFile,
  };
  await rm(draft, { recursive: true, force: true });
  await writeFile(passwordFile, options.password, { mode: 0o600 });
  if (place.user !== undefined) await chown(passwordFile, place.user.uid, place.user.gid);
  try {
    const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
    const access = [`--username=${DATABASE}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    const sync = options.fsync ? SYNC_OF_NEW_CLUSTER : ['--no-sync'];
    const args = ['-D', draft, ...locale, ...access, ...sync];
    await runTask('initdb', { ...task, command: join(place.bin, 'initdb'), args }, options.signal);
    const create = `echo 'CREATE DATABASE ${DATABASE}' | "$0" --single -D "$1" postgres`;
    const shell = ['-c', create, join(place.bin, 'postgres'), draft];
    await runTask('Creation of the database', { ...task, command: '/bin/sh', args: shell }, options.signal);
    await rename(draft, data);
  } finally {
    await rm(passwordFile, { force: true });
  }
}
