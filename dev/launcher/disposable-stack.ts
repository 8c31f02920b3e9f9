import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devConfig, elsewhereConfig } from '../config.ts';
import { type Stack, type StackOptions, startStack } from './stack.ts';

/**
 * Starts a stack for tests: on free ports, in a temporary folder, without fsync, rate limits, or restarts of dead
 * processes. SIGTERM or SIGINT to this process kills the stack, unless the caller handles signals itself and passes a
 * `killSignal`. Servers elsewhere keep what the stack has written.
 *
 * @param env     the caller's environment
 * @param options overrides; `home` reuses the folder of an earlier stack
 * @returns the stack; `stop({ keepData: false })` removes everything
 */
export async function startDisposableStack(
  env: StackOptions['env'],
  options: Partial<Omit<StackOptions, 'env' | 'config'>> & { home?: string } = {},
): Promise<Stack> {
  const { home = mkdtempSync(join(tmpdir(), 'darkroom-')), ...rest } = options;
  const ports = { PORT: 0, POSTGRES_PORT: 0, TEMPORAL_PORT: 0, TEMPORAL_UI_PORT: 0, S3_PORT: 0 };
  const elsewhere = Object.fromEntries(Object.keys(elsewhereConfig.shape).map((name) => [name, env[name]]));
  const config = devConfig.parse({
    ...elsewhere,
    DARKROOM_HOME: home,
    LOG_LEVEL: env.LOG_LEVEL,
    ...ports,
  });
  const killSignal = rest.killSignal ?? killOnExitSignal();
  return startStack({
    config,
    // Tests serve the buckets of tenants and the images of web pages from loopback.
    env: {
      OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1',
      WEB_FETCH_ALLOWED_NETWORKS: '127.0.0.1',
      IMPORT_FOLDERS: `*:${join(home, 'import')}`,
      // Without models, unless the caller has some: what tests see must not depend on what this machine has fetched.
      MODELS_DIR: join(home, 'models'),
      ...env,
    },
    withConsole: true,
    supervise: false,
    fsync: false,
    limitRequests: false,
    ...rest,
    killSignal,
  });
}

/** Ends all stacks of this process. */
let killAll: AbortController | undefined;

function killOnExitSignal(): AbortSignal {
  if (killAll) return killAll.signal;
  const { signal } = (killAll = new AbortController());
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      killAll?.abort();
      process.exit(1);
    });
  }
  return signal;
}
