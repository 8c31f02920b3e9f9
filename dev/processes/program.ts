import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from './json-file.ts';
import type { ProgramPlan } from './process-plan.ts';
import { firstLine, StackError } from './stack-error.ts';

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
export function lastWords(logFile: string): string {
  const lines = tail(logFile, 8_192)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(Node\.js v|at |[{}^])/.test(line) && !/^\W+$/.test(line));
  const telling = lines.findLast((line) => /error|fatal|panic|cannot|refused|denied/i.test(line));
  return (telling ?? lines.at(-1) ?? 'its log is empty').slice(0, 200);
}

function tail(path: string, bytes: number): string {
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
    throw new StackError(`${title} failed (${ending}): ${lastWords(plan.logFile)} (see ${plan.logFile})`);
  }
}
