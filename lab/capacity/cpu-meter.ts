import { type RoleUsage, readProcesses } from '../soak/read-processes.ts';

const SAMPLE_MS = 250;

/** CPU milliseconds so far by role. */
export type CpuTimes = Record<string, number>;

/** Adds up the CPU time of processes whose children come and go. */
export interface CpuMeter {
  read(): CpuTimes;
  stop(): void;
}

/**
 * Starts a meter. The kernel adds the time of an ended child to that of its parent; the meter, which looks at all
 * processes four times a second, leaves it with the role of the child.
 *
 * @param roots process ids by name, asked at each look; those of `worker` and `worker#2` are added up
 * @param look  replaced in tests
 */
export function startCpuMeter(
  roots: () => Record<string, number>,
  look: (roots: Record<string, number>) => ReadonlyMap<string, Pick<RoleUsage, 'cpuMs'>> = readProcesses,
): CpuMeter {
  /** The last time seen of each child process, by its role and id. */
  const children = new Map<string, Map<string, number>>();
  const timer = setInterval(read, SAMPLE_MS);

  function read(): CpuTimes {
    const totals: CpuTimes = {};
    for (const [name, { cpuMs }] of look(roots())) {
      const role = name.replace(/#\d+/, '');
      const [root = role] = role.split(' ');
      totals[root] = (totals[root] ?? 0) + sum(Object.values(cpuMs));
      if (root === role) continue;
      const seen = children.get(role) ?? new Map<string, number>();
      for (const [pid, ms] of Object.entries(cpuMs)) seen.set(pid, ms);
      children.set(role, seen);
    }
    for (const [role, seen] of children) {
      const [root = role] = role.split(' ');
      const ms = sum([...seen.values()]);
      totals[role] = ms;
      totals[root] = (totals[root] ?? 0) - ms;
    }
    return totals;
  }

  return { read, stop: () => clearInterval(timer) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
