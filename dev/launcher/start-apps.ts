import { originOf } from '../../domain/schemas/api-address.ts';
import { APP_NAMES, type AppName, planApp, planSetup, WORKFLOW_BUILD } from './apps.ts';
import type { BringUp } from './bring-up.ts';
import type { Env } from '../processes/process-plan.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { runTask } from '../processes/program.ts';

/** Builds the workflow bundle once, so that workers need not. */
export async function buildWorkflows(up: BringUp): Promise<void> {
  const { title, name, ...program } = WORKFLOW_BUILD;
  await up.part(title, async () => {
    await runTask(
      title,
      { ...program, env: up.env, cwd: PROJECT_ROOT, logFile: up.home.log(name) },
      up.signal,
    );
    return undefined;
  });
}

/**
 * Prepares the database: the schema, and a tenant of each tier.
 *
 * @param limitRequests false for tenants without a rate limit
 */
export async function setUpDatabase(up: BringUp, env: Env, limitRequests: boolean): Promise<void> {
  await up.part('Database schema and tenants', async () => {
    for (const { title, name, command, args } of planSetup(up.home.credentials, limitRequests)) {
      const plan = {
        command,
        args,
        env: { ...up.env, ...env },
        cwd: PROJECT_ROOT,
        logFile: up.home.log(name),
      };
      await runTask(title, plan, up.signal);
    }
    return undefined;
  });
}

/** Links in emails lead to this API, unless the caller says where browsers reach it. */
function workerEnv(up: BringUp, env: Env): Env {
  const { PUBLIC_BASE_URL = originOf(env.HOST ?? '127.0.0.1', up.ports.api) } = up.env;
  return { PUBLIC_BASE_URL };
}

/**
 * Starts the API and the workers. Resolves when each is ready.
 *
 * @param env   settings for connecting to the servers
 * @param extra additional settings for individual apps
 */
export async function startApps(up: BringUp, env: Env, extra: Partial<Record<AppName, Env>>): Promise<void> {
  const start = async (name: AppName) => {
    const port = up.ports[name];
    const origin = name === 'api' ? originOf(env.HOST ?? '127.0.0.1', port) : originOf('127.0.0.1', port);
    const plan = planApp(name, {
      origin,
      env: {
        NODE_ENV: 'development',
        ...up.env,
        // The caller's vector index does not belong to this stack.
        QDRANT_URL: undefined,
        LANCEDB_PATH: undefined,
        ...env,
        ...(name === 'api' ? {} : { ...workerEnv(up, env), WORKER_HEALTH_PORT: String(port) }),
        ...extra[name],
      },
      logFile: up.home.log(name),
    });
    await up.part(plan.title, async () => {
      await up.run(plan);
      return name === 'api' ? origin : undefined;
    });
  };
  await up.all(APP_NAMES.map(start));
}
