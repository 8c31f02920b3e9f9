import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devConfig } from '../config.ts';
import { type Stack, type StackOptions, startStack } from './stack.ts';

/**
 * A stack for tests: on free ports, in a folder of its own, fast rather than safe, with dead processes left dead. It
 * ends with its process, also by SIGTERM and SIGINT, unless that one listens to signals itself and gives a `killSignal`.
 *
 * @param env     the caller's environment
 * @param options what should differ; `home` is a folder to start on again
 * @returns the stack; `stop({ keepData: false })` leaves nothing behind
 */
export async function startDisposableStack(
  env: StackOptions['env'],
  options: Partial<Omit<StackOptions, 'env' | 'config'>> & { home?: string } = {},
): Promise<Stack> {
  const { home = makeHome(), ...rest } = options;
  const ports = { PORT: 0, POSTGRES_PORT: 0, TEMPORAL_PORT: 0, TEMPORAL_UI_PORT: 0, S3_PORT: 0 };
  const config = devConfig.parse({ DARKROOM_HOME: home, LOG_LEVEL: env.LOG_LEVEL, ...ports });
  const killSignal = rest.killSignal ?? killedWithUs();
  return startStack({ config, env, supervise: false, fsync: false, ...rest, killSignal });
}

function killedWithUs(): AbortSignal {
  const kill = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      kill.abort();
      process.exit(1);
    });
  }
  return kill.signal;
}

/** Open to others, so that Postgres, which as root runs as one of them, keeps its data inside as well. */
function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'darkroom-'));
  chmodSync(home, 0o755);
  return home;
}
