import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from './json-file.ts';
import { firstLine, StackError } from './stack-error.ts';

export type ProcessName =
  | 'postgres'
  | 'temporal'
  | 's3'
  | 'qdrant'
  | 'api'
  | 'worker'
  | 'worker-cpu'
  | 'worker-ocr';

/** The environment of a child process; undefined variables are omitted. */
export type Env = Record<string, string | undefined>;

/** An operating system user other than our own. */
export interface OsUser {
  uid: number;
  gid: number;
}

/** How to run one program whose output goes to a log file. */
interface ProgramPlan {
  command: string;
  args: string[];
  /** The complete environment: nothing is inherited. */
  env: Env;
  cwd: string;
  logFile: string;
  user?: OsUser | undefined;
}

/** How to run, probe and stop one process of the stack. Stateless, so that a restart is just another start. */
export interface ProcessPlan extends ProgramPlan {
  name: ProcessName;
  /** Shown to the user. */
  title: string;
  /** Apps are restarted; a dead server ends the stack. */
  kind: 'app' | 'server';
  /** Whether this process, not another one at its address, is ready. Polled; an error counts as "not ready yet". */
  ready: (pid: number) => Promise<boolean>;
  readyWithinMs: number;
  /** Requests a graceful stop; after the timeout the process is killed. */
  stopSignal: NodeJS.Signals;
  stopWithinMs: number;
  /** Cleanup before each start. */
  beforeStart?: () => Promise<void>;
  /** An exit during startup is retried until readyWithinMs has passed if the log matches this. */
  retryable?: RegExp;
  /** Why it is to be restarted although it runs, completing its title; undefined if it is not. Asked every few seconds. */
  needsRestart?: () => Promise<string | undefined>;
  /** Removes leftovers of the process outside the home folder. */
  afterStop?: () => Promise<void>;
}

/** How a program ended, in words: "exit code 1", "SIGKILL". */
export type Ending = string;

export interface Program {
  pid: number;
  /** Resolves when the program has exited and the rest of its process group has been killed. */
  ended: Promise<Ending>;
  /** Undefined while it runs. */
  ending(): Ending | undefined;
}

/**
 * Runs a program in its own process group, so that Ctrl-C reaches only the launcher, which then stops its children in
 * order. Its output is appended to a log file.
 *
 * @throws StackError if the program cannot be spawned
 */
export async function runProgram(plan: ProgramPlan): Promise<Program> {
  mkdirSync(dirname(plan.logFile), { recursive: true, mode: 0o700 });
  const log = openSync(plan.logFile, 'a', 0o600);
  const child = spawn(plan.command, plan.args, {
    cwd: plan.cwd,
    env: plan.env,
    stdio: ['ignore', log, log],
    detached: true,
    ...plan.user,
  });
  closeSync(log);
  const { promise: ended, resolve } = Promise.withResolvers<Ending>();
  let ending: Ending | undefined;
  child.once('exit', (code, signal) => {
    ending = signal ?? `exit code ${code}`;
    if (child.pid !== undefined) signalProcess(-child.pid, 'SIGKILL');
    resolve(ending);
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => {
      reject(new StackError(`Cannot run ${plan.command}: ${firstLine(error)}.`, { cause: error }));
    });
  });
  if (child.pid === undefined) throw new StackError(`Cannot run ${plan.command}.`);
  return { pid: child.pid, ended, ending: () => ending };
}

/** Sends a signal to a process, or to a group if the pid is negative. No-op if it no longer exists. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // macOS returns EPERM for a group that consists only of zombies.
    if (!isErrno(error, 'ESRCH', 'EPERM')) throw error;
  }
}

/** The line in the last 8 KB of a log that most likely names the cause of a failure, truncated. */
export function failureLine(logFile: string): string {
  const lines = tail(logFile, 8_192)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(Node\.js v|at |[{}^])/.test(line) && !/^\W+$/.test(line));
  const telling = lines.findLast((line) => /error|fatal|panic|cannot|refused|denied/i.test(line));
  return (telling ?? lines.at(-1) ?? 'its log is empty').slice(0, 200);
}

/** The end of a file. */
export function tail(path: string, bytes: number): string {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    const start = Math.max(0, fstatSync(file).size - bytes);
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, bytes, start));
  } finally {
    closeSync(file);
  }
}

/**
 * Runs a program to completion, such as a migration.
 *
 * @throws StackError with the error from its log if it fails; the signal's reason if it was aborted
 */
export async function runTask(title: string, plan: ProgramPlan, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const program = await runProgram(plan);
  const abort = () => signalProcess(-program.pid, 'SIGKILL');
  signal.addEventListener('abort', abort, { once: true });
  const ending = await program.ended;
  signal.removeEventListener('abort', abort);
  signal.throwIfAborted();
  if (ending !== 'exit code 0') {
    throw new StackError(`${title} failed (${ending}): ${failureLine(plan.logFile)} (see ${plan.logFile})`);
  }
}
