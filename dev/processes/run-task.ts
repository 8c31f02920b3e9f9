import type { ProgramPlan } from './process-plan.ts';
import { lastWords, runProgram, signalProcess } from './program.ts';
import { StackError } from './stack-error.ts';

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
