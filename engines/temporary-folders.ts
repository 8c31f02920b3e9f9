/**
 * Temporary folders that do not outlive their process for long: they are in one folder for each process, in which it listens
 * on a socket. The kernel closes that with the process, however it ends, and any other process sees so by connecting: also in
 * another container with the same temporary files, where a process id would mean nothing, and after the id is reused.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'darkroom-process-';
const SOCKET = 'alive';

let own: string | undefined;

/** Makes an empty folder that only this user can use. It is removed when this process ends, or after a kill by another. */
export function makeTemporaryFolder(name: string): string {
  own ??= holdFolder();
  return mkdtempSync(join(own, `${name}-`));
}

function holdFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  createServer((connection) => connection.destroy())
    // Without a socket, it is only removed by this process.
    .on('error', () => undefined)
    .listen(join(folder, SOCKET))
    .unref();
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Removes the folders of processes that were killed. One that cannot be removed stays. */
export async function removeFoldersOfKilled(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(PREFIX))) {
    const folder = join(tmpdir(), name);
    if (await isAbandoned(folder)) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Only a socket that nobody listens on proves it: a folder without one is just being made. */
function isAbandoned(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(join(folder, SOCKET), () => {
      connection.destroy();
      resolve(false);
    });
    connection.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
}
