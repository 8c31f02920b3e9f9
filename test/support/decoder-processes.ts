import { readdirSync, readFileSync } from 'node:fs';

/** Pids of decoder children that are decoding this file, by their process title. Linux only. */
export function decodersOf(fileId: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandLine(name).startsWith(`darkroom-decoder file/${fileId}`))
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
