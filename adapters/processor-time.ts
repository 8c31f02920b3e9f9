import { readFile } from 'node:fs/promises';

/** Linux reports processor time to programs in this unit on every machine, whatever the kernel counts in. */
const MS_PER_TICK = 10;
const PAGE_BYTES = 4096;

/** What a process has used. */
export interface ProcessUse {
  /** Of all its threads, since it began. */
  cpuMs: number;
  rssBytes: number;
}

/** Undefined where it cannot be read: the process has ended, or the system is not Linux. */
export async function processUse(pid: number | undefined): Promise<ProcessUse | undefined> {
  if (pid === undefined) return undefined;
  try {
    const [stat, statm] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/statm`, 'utf8'),
    ]);
    // The second field is the name in brackets, which may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
    return {
      cpuMs: (userTicks + systemTicks) * MS_PER_TICK,
      rssBytes: Number(statm.split(' ')[1]) * PAGE_BYTES,
    };
  } catch {
    return undefined;
  }
}
