import { readdir, readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';

/** Linux reports processor time in this unit on every machine, whatever the kernel's own unit. */
const MS_PER_TICK = 10;
const PAGE_BYTES = 4096;

/** Resource use of a process or a thread. */
export interface ResourceUse {
  /** All threads, since the start. */
  cpuMs: number;
  /** The resident memory of a process, the heap of a thread. */
  bytes: number;
}

/** Undefined if it cannot be read: the process has ended, or the system is not Linux. */
export async function processUse(pid: number | undefined): Promise<ResourceUse | undefined> {
  if (pid === undefined) return undefined;
  try {
    const [stat, statm] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/statm`, 'utf8'),
    ]);
    // The second field is the process name in parentheses, which may contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])];
    return {
      cpuMs: (userTicks + systemTicks) * MS_PER_TICK,
      bytes: Number(statm.split(' ')[1]) * PAGE_BYTES,
    };
  } catch {
    return undefined;
  }
}

/** Resource use of a process and all its descendants; undefined if the process cannot be read. */
export async function treeUse(pid: number | undefined): Promise<ResourceUse | undefined> {
  const own = await processUse(pid);
  if (pid === undefined || !own) return undefined;
  const below = await Promise.all((await childrenOf(pid)).map(treeUse));
  return below.reduce<ResourceUse>(
    (sum, use) => ({ cpuMs: sum.cpuMs + (use?.cpuMs ?? 0), bytes: sum.bytes + (use?.bytes ?? 0) }),
    own,
  );
}

/** The children of a process are listed per thread. */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/**
 * Gives all threads of a process a priority below normal: on a busy machine they get a tenth of the time of others.
 * Only root can raise it again. No effect on a process that has ended, or if threads cannot be listed (Linux only).
 */
export async function lowerPriority(pid: number | undefined): Promise<void> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  for (const thread of threads) {
    try {
      setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // The thread has ended.
    }
  }
}
