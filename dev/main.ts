import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from '../domain/schemas/read-config.ts';
import { devConfig } from './config.ts';
import { DEMO_ADDRESS, startDemoSite, type DemoSite } from './demo/demo-site.ts';
import { describeStack, type Stack, startStack } from './launcher/stack.ts';
import { createProgress } from './launcher/progress.ts';
import { StackError } from './processes/stack-error.ts';
import { listenForStop } from './launcher/stop-signals.ts';

/** Runs the stack until a signal, the end of an `--exit` run, or a fatal error. Resolves to the exit code. */
async function main(): Promise<number> {
  const stopping = listenForStop(process.env.npm_lifecycle_event !== undefined);
  const progress = createProgress(process.stdout);
  const log = (line: string) => progress.line(line);
  const fault = Promise.withResolvers<never>();
  process.on('uncaughtException', fault.reject);
  let stack: Stack | undefined;
  let site: DemoSite | undefined;
  let code = 0;
  stopping.kill.addEventListener('abort', () => {
    log('Killed.');
    // Exit only after the stack, which listens to the same signal, has killed its processes.
    setImmediate(() => process.exit(1));
  });
  try {
    const { demo, exit } = readFlags();
    // An allowlist set by the user is not extended.
    if (demo && !process.env.WEB_FETCH_ALLOWED_NETWORKS) site = await startDemoSite();
    const config = readConfig([devConfig], process.env);
    const running = startStack({
      config,
      oneWorker: true,
      env: site ? { ...process.env, WEB_FETCH_ALLOWED_NETWORKS: DEMO_ADDRESS } : process.env,
      signal: stopping.stop,
      killSignal: stopping.kill,
      onPart: (event) => progress.onPart(event),
      onNotice: log,
      onFatal: (line) => fault.reject(new StackError(line)),
    });
    stack = await Promise.race([running, fault.promise]);
    progress.end();
    log(describeStack(stack));
    let samples: Awaited<ReturnType<typeof showSamples>> | undefined;
    const shown = demo && showSamples(stack, { exit, log, pageUrl: site?.pageUrl });
    await Promise.race([shown && shown.then((run) => (samples = run)), stopping.asked, fault.promise]);
    if (!exit) {
      // Now that nobody waits for a result: these would compete for the cores.
      const started = stack;
      const built = started
        .buildConsole()
        .then(() => started.compileCode())
        .catch((error: unknown) => log(explain(error)));
      await Promise.race([built, stopping.asked, fault.promise]);
      const fetched = config.DARKROOM_FETCH_MODELS ? stack.fetchModels() : Promise.resolve(false);
      const seen = fetched.then((isNew) => (isNew ? samples?.lookAgain() : undefined));
      await Promise.race([stopping.asked, fault.promise, seen.then(() => stopping.asked)]);
    }
  } catch (error) {
    progress.end();
    if (!stopping.stop.aborted) {
      code = 1;
      console.error(explain(error));
    }
  }
  if (stack !== undefined) {
    log('Stopping …');
    await stack.stop();
    log('Stopped; the data is kept for the next start.');
  }
  await site?.stop();
  return code;
}

async function showSamples(
  stack: Stack,
  options: { exit: boolean; log: (line: string) => void; pageUrl: string | undefined },
) {
  const { runDemo } = await import('./demo/demo.ts');
  return runDemo({ runInfo: stack.runInfo, ...options });
}

function readFlags(): { demo: boolean; exit: boolean } {
  try {
    const options = {
      demo: { type: 'boolean', default: false },
      exit: { type: 'boolean', default: false },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    throw new StackError('Usage: npm start [-- --exit], or npm run demo [-- --exit]', { cause: error });
  }
}

/** One line for an expected error; the stack trace for any other. */
function explain(error: unknown): string {
  if (error instanceof StackError || error instanceof ConfigError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

process.exitCode = await main();
// Handles left open by the samples must not keep the launcher alive.
setTimeout(() => process.exit(), 1_000).unref();
