import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isErrno } from '../../dev/processes/json-file.ts';

const MIB = 2 ** 20;

/** A file system of limited size. */
export interface Volume {
  folder: string;
  /** Uses up all free space, also what was freed since the last call. */
  fill: () => void;
  /** Frees the space that `fill` has used. */
  free: () => void;
  unmount: () => void;
}

/**
 * Mounts a file system of its own, whose blocks are in a sparse file. This needs root on Linux, loop devices and
 * mkfs.ext4.
 *
 * @returns undefined where it is not possible
 */
export function mountVolume(bytes: number): Volume | undefined {
  const base = mkdtempSync(join(tmpdir(), 'darkroom-volume-'));
  const [image, folder] = [join(base, 'blocks'), join(base, 'disk')];
  const run = (...[program = '', ...args]: string[]) => execFileSync(program, args, { stdio: 'ignore' });
  try {
    writeFileSync(image, '');
    truncateSync(image, bytes);
    // No share of the blocks is reserved for root, which runs most of a stack.
    run('mkfs.ext4', '-q', '-m', '0', image);
    run('chmod', '711', base);
    run('mkdir', folder);
    run('mount', '-o', 'loop', image, folder);
  } catch {
    rmSync(base, { recursive: true });
    return undefined;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    fill() {
      const { bavail, bsize } = statfsSync(folder);
      // The rest is written, because the file system itself needs some blocks for a large file.
      const most = bavail * bsize - MIB;
      if (most > 0) run('fallocate', '-l', String(most), filler);
      appendUntilFull(filler);
    },
    free: () => rmSync(filler, { force: true }),
    unmount() {
      run('umount', '--lazy', folder);
      rmSync(base, { recursive: true });
    },
  };
}

function appendUntilFull(path: string): void {
  const file = openSync(path, 'a');
  for (const size of [MIB, 4096, 1]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size, 1));
    } catch (error) {
      if (!isErrno(error, 'ENOSPC')) throw error;
    }
  }
  closeSync(file);
}
