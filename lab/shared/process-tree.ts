import { readdirSync, readFileSync } from 'node:fs';

/** The parent of each running process, by process id. Linux only. */
export function readParents(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), Number(statOf(Number(name))[1]));
    } catch {
      // The process has exited since the folder was read.
    }
  }
  return parents;
}

/** The ids of all processes that a process has started, directly or through others. Linux only. */
export function descendantsOf(pid: number): number[] {
  const children = Map.groupBy(readParents(), ([, parent]) => parent);
  const below = (at: number): number[] =>
    (children.get(at) ?? []).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

/**
 * The fields of /proc/PID/stat after the name of the command, which is in brackets and may contain anything; the first is the
 * state, such as `R` or, if suspended, `T`.
 */
export function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
