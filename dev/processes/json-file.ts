import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** The parsed content of a JSON file that this program wrote, or undefined if it does not exist. */
export function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
  return JSON.parse(text);
}

/** Replaces a JSON file atomically. It is readable only by its owner. */
export function writeJson(path: string, value: unknown): void {
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/**
 * Like `writeJson`, but leaves the file unchanged if the disk is full: for data that the next write replaces anyway.
 */
export function writeJsonIfRoom(path: string, value: unknown): void {
  try {
    writeJson(path, value);
  } catch (error) {
    if (!isErrno(error, 'ENOSPC', 'EDQUOT')) throw error;
    rmSync(`${path}.${process.pid}.tmp`, { force: true });
  }
}

/** Whether an error is a system error with one of these codes, such as ENOENT. */
export function isErrno(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
