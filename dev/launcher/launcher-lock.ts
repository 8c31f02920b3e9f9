import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno, readJson } from '../processes/json-file.ts';
import { identifyProcess } from '../processes/process-identity.ts';
import { StackError } from '../processes/stack-error.ts';

export const LOCK_FILE = 'launcher.json';

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
