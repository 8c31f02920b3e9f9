import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { OsUser } from '../processes/process-plan.ts';
import { StackError } from '../processes/stack-error.ts';

const run = promisify(execFile);

/**
 * The user that runs Postgres, which refuses to run as root, when we are root: `postgres`, created if absent, else
 * `nobody`.
 */
export async function findPostgresUser(): Promise<OsUser> {
  const user = (await lookUp('postgres')) ?? (await create('postgres')) ?? (await lookUp('nobody'));
  if (user === undefined) {
    throw new StackError('Postgres cannot run as root: create a user `postgres`, or start as another user.');
  }
  return user;
}

/** Tests whether a user can run a command. */
export async function canRunAs(user: OsUser, command: string, args: string[]): Promise<boolean> {
  try {
    await run(command, args, { ...user, cwd: '/', env: {}, timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

async function lookUp(name: string): Promise<OsUser | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    // macOS prints the ids of nobody as negative numbers.
    return { uid: Number(uid.stdout) >>> 0, gid: Number(gid.stdout) >>> 0 };
  } catch {
    // `id` fails for an unknown name.
    return undefined;
  }
}

async function create(name: string): Promise<OsUser | undefined> {
  try {
    await run('useradd', [
      '--system',
      '--user-group',
      '--no-create-home',
      '--shell',
      '/usr/sbin/nologin',
      name,
    ]);
  } catch {
    // Not every system has useradd, and /etc may be read-only.
    return undefined;
  }
  return lookUp(name);
}
