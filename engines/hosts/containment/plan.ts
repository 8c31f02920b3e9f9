import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AllowedCall, allowedCalls } from './system-calls.ts';

/** What a program may do, apart from computing and reading its own code. */
export interface Grants {
  /** Folders and files that it may read besides the libraries of the system. */
  reads: readonly string[];
  /** The only TCP port to which it may connect. */
  port?: number;
  /** Largest file that it may write; by default, it may write none. */
  fileBytes?: number;
  addressSpaceBytes?: number;
  /** At this processor time, it gets SIGXCPU. */
  cpuSeconds?: number;
  /** Lowers its priority. */
  nice?: number;
}

/** The work of the launcher, as JSON in its argument. */
export interface Plan extends Grants {
  program: readonly string[];
  executes: readonly string[];
  calls: readonly AllowedCall[];
  programDescriptor: number;
  fileBytes: number;
  /** The descriptor of the channel to the parent. */
  channel?: number;
  /** Parts that this system lacks. */
  without: readonly string[];
  /** Its exit code if it cannot become the program. */
  cannotStart: number;
  /** Writes the parts that are missing to the standard output. */
  check?: true;
}

/** How far this system can contain child processes. */
export interface Containment {
  /** `none`: children run with an empty environment and limits on time and memory alone. */
  level: 'full' | 'partial' | 'none';
  /** What is missing and why, for operators; empty if nothing is. */
  detail: string;
}

/** The exit code of a contained command whose program was not started. */
export const CANNOT_START = 70;

const LAUNCHER = fileURLToPath(new URL('./launch.cjs', import.meta.url));
const ENTRY = fileURLToPath(new URL('../entry.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Everything that a module of a child process imports. Not the folder itself, which may have settings and data. */
export const PROJECT_CODE: readonly string[] = [
  'adapters',
  'domain',
  'engines',
  'node_modules',
  'packages',
  'package.json',
].map((name) => join(ROOT, name));
/** Shared libraries and what their loader reads, on all distributions. */
const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/usr/local/lib', '/nix/store', '/gnu/store'];
const READ_BY_ALL = [...LIBRARIES, '/etc/ld.so.cache', '/dev/urandom'];
const LOADERS = [
  '/lib64/ld-linux-x86-64.so.2',
  '/lib/ld-linux-aarch64.so.1',
  '/lib/ld-musl-x86_64.so.1',
  '/lib/ld-musl-aarch64.so.1',
];
/** The number of the descriptor of the program, and the limit of all others. */
const DESCRIPTORS = 255;

/** What each part of the launcher means to an operator. */
const MISSING: Readonly<Record<string, string>> = {
  files: 'they can read the files of this user (needs Landlock, Linux 5.13)',
  ports: 'those of videos can connect to any TCP port (needs Landlock 4, Linux 6.7)',
  signals: 'abstract sockets are not restricted (needs Landlock 6, Linux 6.12)',
  'system calls': 'they can make all system calls (needs seccomp)',
  capabilities: 'they keep their capabilities',
};

/** Nothing but a hanging process takes longer. */
const START_MS = 60_000;

let found: { containment: Containment; without: readonly string[] } | undefined;

/** What this system has, tried once per process by starting a child. */
export function containmentHere(): Containment {
  return find().containment;
}

function find(): NonNullable<typeof found> {
  return (found ??= tryOut());
}

function tryOut(): NonNullable<typeof found> {
  const none = (detail: string) => ({ containment: { level: 'none' as const, detail }, without: [] });
  if (process.platform !== 'linux') return none('only Linux can contain child processes');
  if (process.arch !== 'x64' && process.arch !== 'arm64') return none(`not on ${process.arch}`);
  // As a child starts: Node with a module of this project, and another one that only ends.
  const program = [process.execPath, ENTRY, 'data:text/javascript,process.exit()'];
  const [command, args] = commandOf({ ...planOf(program, { reads: PROJECT_CODE }, []), check: true });
  const { status, stdout, stderr, signal, error } = spawnSync(command, args, {
    env: {},
    encoding: 'utf8',
    timeout: START_MS,
  });
  // Of a busy machine: it says nothing about the system.
  if (error) throw error;
  if (status !== 0) return none(stderr.trim().split('\n').at(-1) || `a child ended with ${signal ?? status}`);
  const without = JSON.parse(stdout) as string[];
  const detail = without.map((part) => MISSING[part] ?? part).join('; ');
  return { containment: { level: without.length > 0 ? 'partial' : 'full', detail }, without };
}

/**
 * The command that runs a program contained: with no rights but those granted.
 * Undefined if this system cannot contain it at all.
 *
 * @param program a path and arguments
 * @param channel the descriptor of the channel to the parent, if it has one
 */
export function containedCommand(
  program: readonly string[],
  grants: Grants,
  channel?: number,
): [command: string, args: string[]] | undefined {
  const { containment, without } = find();
  if (containment.level === 'none') return undefined;
  return commandOf({ ...planOf(program, grants, without), ...(channel !== undefined && { channel }) });
}

function planOf(program: readonly string[], grants: Grants, without: readonly string[]): Plan {
  const architecture = process.arch as 'x64' | 'arm64';
  return {
    fileBytes: 0,
    ...grants,
    program,
    reads: [...READ_BY_ALL, ...grants.reads],
    executes: [program[0] ?? '', ...LOADERS],
    calls: allowedCalls(architecture, {
      programDescriptor: DESCRIPTORS,
      withTcp: grants.port !== undefined,
    }),
    programDescriptor: DESCRIPTORS,
    cannotStart: CANNOT_START,
    without,
  };
}

function commandOf(plan: Plan): [command: string, args: string[]] {
  return [process.execPath, [LAUNCHER, JSON.stringify(plan)]];
}
