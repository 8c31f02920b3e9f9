import { execFileSync, type StdioOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * The start time of a running process as an opaque string: tells it from a later process with the same pid. It survives
 * exec, by which shims replace themselves with the actual program.
 *
 * @returns undefined if there is no such process, or only a zombie
 */
export function identifyProcess(pid: number): string | undefined {
  return orUndefined(() => (process.platform === 'linux' ? fromProc(pid) : fromPs(pid)));
}

/** The command line of a running process, or undefined if there is none. */
export function commandOf(pid: number): string | undefined {
  return orUndefined(() =>
    process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      : ps(pid, 'command='),
  );
}

/** Every lookup fails only for a pid that no longer exists. */
function orUndefined(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function fromProc(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program name in brackets, which may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X') return undefined;
  // Ticks are counted from the boot of the machine.
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${boot} ${startTicks}`;
}

function fromPs(pid: number): string | undefined {
  const [state = '', ...started] = ps(pid, 'stat=,lstart=').split(/\s+/);
  return state.startsWith('Z') ? undefined : started.join(' ');
}

function ps(pid: number, columns: string): string {
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
  return execFileSync('ps', ['-ww', '-o', columns, '-p', String(pid)], { encoding: 'utf8', stdio }).trim();
}
