import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of one clock tick, `getconf CLK_TCK`; 100 a second on every Linux that Node supports. */
const TICK_MS = 10;
/** The start of the command line of a decoder process, see engines/image-decoder/decoder-process.ts. */
const DECODER = 'darkroom-decoder';

/** CPU milliseconds by process name, with all decoders under `decoders`. */
export type CpuTimes = Record<string, number>;

interface ProcessRow {
  parent: number;
  /** CPU time of the process and of its ended children. */
  ms: number;
  decoder: boolean;
}

/**
 * The CPU time used so far by each process and its descendants. Decoders are summed separately, and descendants that
 * are roots themselves count only under their own name. Linux only.
 *
 * @param roots process ids by name
 */
export function readCpuTimes(roots: Record<string, number>): CpuTimes {
  const rows = readProcesses();
  const names = new Map(Object.entries(roots).map(([name, pid]) => [pid, name]));
  const times: CpuTimes = Object.fromEntries([...names.values(), 'decoders'].map((name) => [name, 0]));
  for (const [pid, { ms, decoder }] of rows) {
    const owner = ownerOf(pid);
    if (!owner) continue;
    const name = decoder ? 'decoders' : owner;
    times[name] = (times[name] ?? 0) + ms;
  }
  return times;

  function ownerOf(pid: number): string | undefined {
    for (let at: number | undefined = pid; at; at = rows.get(at)?.parent) {
      const name = names.get(at);
      if (name) return name;
    }
    return undefined;
  }
}

/** The usage between two readings. */
export function usedBetween(before: CpuTimes, after: CpuTimes): CpuTimes {
  return Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, ms - (before[name] ?? 0)]));
}

function readProcesses(): Map<number, ProcessRow> {
  const rows = new Map<number, ProcessRow>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      // The command, in brackets, may contain anything.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
      const decoder = readFileSync(`/proc/${name}/cmdline`, 'latin1').startsWith(DECODER);
      rows.set(Number(name), { parent: Number(fields[1]), ms: ticks * TICK_MS, decoder });
    } catch {
      // The process has exited since the folder was read.
    }
  }
  return rows;
}
