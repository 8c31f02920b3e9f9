import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { readParents, statOf } from '../shared/process-tree.ts';

/** Figures from /proc for the processes of one role. Bytes and counts, summed over them. */
export interface RoleUsage {
  /** Resident bytes of each process, by its id. */
  processes: Record<number, number>;
  /** CPU milliseconds that each process and its ended children have used, by its id. */
  cpuMs: Record<number, number>;
  /** Resident set size; for Postgres, whose processes share memory, the proportional set size. */
  rss: number;
  /** The part of `rss` that is neither file-backed nor shared. */
  anonymous: number;
  descriptors: number;
  /** Established TCP connections. */
  connections: number;
}

/** Patterns of the command lines of child processes, by kind. */
const CHILDREN = {
  decoders: /^darkroom-decoder|image-decoder\/decoder-process/,
  readers: /^darkroom-reader|document-reader\/reader-process/,
  index: /^darkroom-vectors|vector-index\/index-process/,
};
const ESTABLISHED = '01';
/** Milliseconds of one clock tick; 100 a second on every Linux that Node supports. */
const TICK_MS = 10;
/** Of the fields after the name of the command: user and system time, and those of ended children. */
const TIMES = [11, 12, 13, 14];

/**
 * Reads the memory, CPU time, descriptors and connections of processes with their descendants, by role: the names of the roots,
 * and `<root> decoders`, `<root> readers` and `<root> index` for their child processes. Linux only.
 *
 * @param roots process ids by name
 */
export function readProcesses(roots: Record<string, number>): Map<string, RoleUsage> {
  const parents = readParents();
  const names = new Map(Object.entries(roots).map(([name, pid]) => [pid, name]));
  const established = readEstablished();
  const roles = new Map<string, RoleUsage>();
  for (const pid of parents.keys()) {
    const owner = ownerOf(pid, parents, names);
    if (owner === undefined) continue;
    try {
      add(roleOf(owner, pid), pid);
    } catch {
      // The process has exited since the folder was read.
    }
  }
  return roles;

  function add(role: string, pid: number): void {
    const { rss, anonymous } = role === 'postgres' ? readShare(pid) : readMemory(pid);
    const fds = readdirSync(`/proc/${pid}/fd`);
    const none = { processes: {}, cpuMs: {}, rss: 0, anonymous: 0, descriptors: 0, connections: 0 };
    const usage: RoleUsage = roles.get(role) ?? none;
    const fields = statOf(pid);
    usage.processes[pid] = rss;
    usage.cpuMs[pid] = TIMES.reduce((sum, at) => sum + Number(fields[at]), 0) * TICK_MS;
    usage.rss += rss;
    usage.anonymous += anonymous;
    usage.descriptors += fds.length;
    usage.connections += fds.filter((fd) => established.has(readLink(`/proc/${pid}/fd/${fd}`))).length;
    roles.set(role, usage);
  }
}

function roleOf(owner: string, pid: number): string {
  const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  const child = Object.entries(CHILDREN).find(([, pattern]) => pattern.test(command));
  return child ? `${owner} ${child[0]}` : owner;
}

function ownerOf(
  pid: number,
  parents: ReadonlyMap<number, number>,
  names: ReadonlyMap<number, string>,
): string | undefined {
  for (let at: number | undefined = pid; at; at = parents.get(at)) {
    const name = names.get(at);
    if (name !== undefined) return name;
  }
  return undefined;
}

function readMemory(pid: number): { rss: number; anonymous: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return { rss: kilobytes(status, 'VmRSS'), anonymous: kilobytes(status, 'RssAnon') };
}

function readShare(pid: number): { rss: number; anonymous: number } {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
  return { rss: kilobytes(rollup, 'Pss'), anonymous: kilobytes(rollup, 'Pss_Anon') };
}

function kilobytes(text: string, name: string): number {
  const [, digits] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text) ?? [];
  if (digits === undefined) throw new Error(`no ${name}`);
  return Number(digits) * 1024;
}

/** Established sockets, in the form of the links of their descriptors. */
function readEstablished(): Set<string> {
  const sockets = new Set<string>();
  for (const table of ['tcp', 'tcp6']) {
    for (const line of readFileSync(`/proc/net/${table}`, 'latin1').split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      if (fields[3] === ESTABLISHED) sockets.add(`socket:[${fields[9]}]`);
    }
  }
  return sockets;
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
