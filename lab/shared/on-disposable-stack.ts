import { UsageError } from '../../cli/shared/usage-error.ts';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import { createProgress } from '../../dev/launcher/progress.ts';
import type { Stack, StackOptions } from '../../dev/launcher/stack.ts';
import { listenForStop } from '../../dev/launcher/stop-signals.ts';

/**
 * Starts a disposable stack, runs `work` on it and stops the stack, even if the work fails. The first Ctrl-C aborts the
 * signal; a second one ends the process immediately.
 *
 * @param env  environment of this process, with the settings of the stack
 * @param keep keeps the data and the logs, and prints their folder
 * @param home the folder of the stack, by default a new one
 * @throws UsageError if it is stopped before the work is done; errors of the work
 */
export async function onDisposableStack<T>(
  env: NodeJS.ProcessEnv,
  { keep = false, ...options }: { keep?: boolean; home?: string } & Pick<StackOptions, 'appEnv' | 'connect'>,
  work: (stack: Stack, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { stop, kill } = listenForStop(env['npm_lifecycle_event'] !== undefined);
  kill.addEventListener('abort', () => setImmediate(() => process.exit(1)));
  const progress = createProgress(process.stderr);
  let stack: Stack | undefined;
  try {
    stack = await startDisposableStack(env, {
      ...options,
      signal: stop,
      killSignal: kill,
      onPart: (event) => progress.onPart(event),
    });
    progress.end();
    return await work(stack, stop);
  } catch (error) {
    progress.end();
    if (!stop.aborted) throw error;
    throw new UsageError('Stopped before the run was complete.');
  } finally {
    await stack?.stop({ keepData: keep });
    if (keep && stack) {
      const { home } = stack;
      console.error(`The data is kept in ${home}; to inspect it, run DARKROOM_HOME=${home} npm start.`);
    }
  }
}
