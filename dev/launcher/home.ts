import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isErrno, readJson } from '../processes/json-file.ts';
import { identifyProcess } from '../processes/process-identity.ts';
import { firstLine, StackError } from '../processes/stack-error.ts';
import { SECRETS_FILE } from './secrets.ts';
import type { ProcessName } from '../processes/program.ts';

/** The folder of one stack, and the paths in it. */
export interface Home {
  folder: string;
  ports: string;
  processes: string;
  credentials: string;
  runInfo: string;
  logs: string;
  /** Emails, unless an SMTP server is configured. */
  mails: string;
  /** Data of the object store. */
  store: string;
  /** Settings of the apps, including secrets, for commands that do not use the API. */
  env: string;
  log: (name: string) => string;
}

/**
 * Creates the folder, readable only by its owner, if it does not exist.
 *
 * @throws StackError when it cannot be created or written to
 */
export function openHome(path: string): Home {
  const folder = resolve(path);
  try {
    makeFolder(folder, 0o700);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StackError(
      `Cannot use ${folder} for data (${firstLine(error)}): set DARKROOM_HOME to a folder you can write to.`,
      { cause: error },
    );
  }
  for (const name of readdirSync(folder)) {
    if (!isOurs(join(folder, name))) {
      throw new StackError(
        `${join(folder, name)} belongs to another user: start as that user, or set DARKROOM_HOME to another folder.`,
      );
    }
  }
  const logs = join(folder, 'logs');
  return {
    folder,
    ports: join(folder, 'ports.json'),
    processes: join(folder, 'processes.json'),
    credentials: join(folder, 'credentials.json'),
    runInfo: join(folder, 'run.json'),
    env: join(folder, 'env.json'),
    logs,
    mails: join(folder, 'mails'),
    store: join(folder, 's3'),
    log: (name) => join(logs, `${name}.log`),
  };
}

function isOurs(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch (error) {
    if (isErrno(error, 'EACCES', 'EPERM')) return false;
    throw error;
  }
}

/** Creates folders one by one: Node's recursive mkdir never returns where folders cannot be created, such as /proc. */
function makeFolder(folder: string, mode?: number): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode });
}

/**
 * Makes an existing home readable only by its owner. If the user chose a folder with other content, its mode is left
 * unchanged.
 */
export function restrictHome({ folder }: Home): void {
  const names = readdirSync(folder).filter((name) => name !== LOCK_FILE);
  if (names.length === 0 || names.includes(SECRETS_FILE)) chmodSync(folder, 0o700);
}

const LOCK_FILE = 'launcher.json';

interface Holder {
  pid: number;
  identity: string | undefined;
}

/**
 * Locks a home folder for this launcher. The stale lock of a dead launcher is replaced.
 *
 * @returns a function that releases the lock
 * @throws StackError naming the running launcher
 */
export function lockHome(home: string): () => void {
  const path = join(home, LOCK_FILE);
  const mine: Holder = { pid: process.pid, identity: identifyProcess(process.pid) };
  for (;;) {
    try {
      writeFileSync(path, JSON.stringify(mine), { flag: 'wx', mode: 0o600 });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
    }
    const holder = readJson(path) as Holder | undefined;
    if (holder !== undefined && identifyProcess(holder.pid) === holder.identity) {
      throw new StackError(
        `Already running in ${home} (pid ${holder.pid}); see ${join(home, 'run.json')}, or set DARKROOM_HOME to another folder.`,
      );
    }
    rmSync(path, { force: true });
  }
}

/** Credentials of one of the tenants that every stack has. */
interface Credentials {
  api_key: string;
  email: string;
  password: string;
}
type Tenants = Record<'free' | 'starter' | 'professional' | 'enterprise', Credentials>;

/** The content of `run.json` in the home folder, which exists while a stack runs. */
export interface RunInfo {
  /** Including `/api/v2`. */
  api_url: string;
  /** The key of the default tenant, the enterprise one. */
  api_key: string;
  tenants: Tenants;
  temporal_address: string;
  temporal_namespace: string;
  temporal_ui_url: string;
  s3_endpoint: string;
  pids: Partial<Record<ProcessName, number>>;
}

/** Reads the credentials that the seed wrote. */
export function readTenants(credentialsFile: string): Tenants {
  const tenants = readJson(credentialsFile) as Tenants | undefined;
  if (tenants === undefined)
    throw new StackError(`The credentials of the tenants are missing from ${credentialsFile}.`);
  return tenants;
}
