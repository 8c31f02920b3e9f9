import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

/** With the rotated copies 32 MB for each process. */
const MAX_BYTES = 8_000_000;
const KEPT = 3;
const LOOK_EVERY_MS = 1_000;

/** Renames the logs of the last start: `.log` to `.log.1`, `.log.1` to `.log.2`, and so on. */
export function rotateLogs(folder: string): void {
  for (const log of logsIn(folder)) {
    makeRoom(log);
    renameSync(log, `${log}.1`);
  }
}

/**
 * Keeps the logs of running processes bounded, even if a process floods its log. The processes have the files open and
 * append to them, so a log is copied and then truncated, which may lose the lines written in between.
 *
 * @returns a function that stops watching
 */
export function boundLogs(folder: string): () => void {
  const timer = setInterval(() => {
    try {
      rotateLargeLogs(folder);
    } catch {
      // An error, for example because a log was removed, must not stop the stack; the next check runs in a second.
    }
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Rotates the logs that are larger than `maxBytes`. */
export function rotateLargeLogs(folder: string, maxBytes = MAX_BYTES): void {
  for (const log of logsIn(folder).filter((path) => statSync(path).size > maxBytes)) {
    makeRoom(log);
    try {
      copyFileSync(log, `${log}.1`);
    } catch {
      // A full disk has no room for a copy, but removal and truncation free some.
      rmSync(`${log}.1`, { force: true });
    }
    truncateSync(log);
  }
}

function logsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.log'));
  return names.map((name) => join(folder, name));
}

/** Increments the numbers of the older logs; the oldest is overwritten. */
function makeRoom(log: string): void {
  for (let number = KEPT - 1; number >= 1; number--) {
    if (existsSync(`${log}.${number}`)) renameSync(`${log}.${number}`, `${log}.${number + 1}`);
  }
}
