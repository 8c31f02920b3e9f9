import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Start time and command line of a running process. With the pid they distinguish a process of ours from one that
 * reuses its pid.
 *
 * @returns undefined if there is no such process, or only its zombie
 */
export function identifyProcess(pid: number): string | undefined {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  } catch {
    // Both sources fail only for a pid that no longer exists.
    return undefined;
  }
}

function fromProc(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program name in brackets, which may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  if (state === 'Z' || state === 'X') return undefined;
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  return `${startTicks} ${command}`;
}

function fromPs(pid: number): string | undefined {
  const line = execFileSync('ps', ['-ww', '-o', 'stat=,lstart=,command=', '-p', String(pid)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [state = '', ...identity] = line.trim().split(/\s+/);
  return state.startsWith('Z') ? undefined : identity.join(' ');
}
