import { execFile } from 'node:child_process';
import { readdir, readlink, realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isErrno } from './json-file.ts';
import { commandOf } from './process-identity.ts';
import { StackError } from './stack-error.ts';

const run = promisify(execFile);

/** A killed process closes its files a moment later. */
const PATIENCE_MS = 3_000;

/**
 * Makes sure that no running process has a file open in a server's data folder: two servers on the same files would
 * corrupt them, and not every server locks its files.
 *
 * @throws StackError naming the process
 */
export async function assertNotHeld(folder: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const [pid] = await findHolders(folder);
    if (pid === undefined) return;
    if (Date.now() > deadline) {
      throw new StackError(
        `Process ${pid} uses ${folder} (${(commandOf(pid) ?? '').slice(0, 80)}): end it, then start again.`,
      );
    }
    await delay(50);
  }
}

/** The processes that have a file open below a folder, limited to those whose files this user may list. */
async function findHolders(folder: string): Promise<number[]> {
  const path = await realpath(folder);
  return process.platform === 'linux' ? fromProc(path) : fromLsof(path);
}

async function fromProc(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const held = await Promise.all(pids.map((pid) => hasOpen(pid, `${folder}/`)));
  return pids.filter((_, index) => held[index]).map(Number);
}

async function hasOpen(pid: string, prefix: string): Promise<boolean> {
  const fds = `/proc/${pid}/fd`;
  try {
    for (const fd of await readdir(fds)) {
      const target = await readlink(`${fds}/${fd}`).catch(() => '');
      if (target.startsWith(prefix)) return true;
    }
    return false;
  } catch (error) {
    // The process has exited, or belongs to another user, who has no access to the folder.
    if (isErrno(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return false;
    throw error;
  }
}

/** `lsof` also exits with an error if it finds nothing; a missing `lsof` counts as no result. */
async function fromLsof(folder: string): Promise<number[]> {
  const { stdout } = await run('lsof', ['-t', '+D', folder]).catch(() => ({ stdout: '' }));
  return stdout.split('\n').filter(Boolean).map(Number);
}
