import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Pids of the decoder processes whose title names this file. Linux only. */
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

/** Pids of the child processes of this process with a title. Linux only. */
export function childrenNamed(title: string): number[] {
  const children = readdirSync(`/proc/${process.pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${process.pid}/task/${thread}/children`, 'utf8').split(' '),
  );
  return children.filter((pid) => pid && commandLine(pid).startsWith(title)).map(Number);
}

/** Sends a signal to every process of a program. Linux only. */
export function signalProcesses(program: string, signal: NodeJS.Signals): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readlinkSync(`/proc/${pid}/exe`) === program) process.kill(Number(pid), signal);
    } catch (error) {
      // It has ended, or is of another user.
      if (!['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}
