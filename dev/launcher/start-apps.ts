import { join } from 'node:path';
import { findSentenceModels } from '../../engines/models/catalogue.ts';
import { type Env, type ProcessName, type ProcessPlan, runTask } from '../processes/program.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { fetchFromProcess } from '../processes/fetch-from-process.ts';
import { originOf } from '../../domain/schemas/addresses.ts';
import type { BringUp } from './bring-up.ts';

export type AppName = Extract<ProcessName, 'api' | 'worker' | 'worker-cpu' | 'worker-ocr'>;

interface App {
  title: string;
  args: string[];
  stopWithinMs: number;
}

/** How to run each process of the API and the workers, divided as the containers are. */
export const APPS: Record<AppName, App> = {
  // As the Dockerfile has it.
  api: { title: 'API', args: ['--max-semi-space-size=4', 'api/main.ts'], stopWithinMs: 20_000 },
  worker: {
    title: 'Worker',
    args: ['worker/main.ts', '--queues', 'workflows,io,index,web,imports,webhooks,vision'],
    stopWithinMs: 20_000,
  },
  'worker-cpu': {
    title: 'Worker (cpu)',
    args: ['worker/main.ts', '--queues', 'cpu,documents,video'],
    stopWithinMs: 20_000,
  },
  'worker-ocr': { title: 'Worker (ocr)', args: ['worker/main.ts', '--queues', 'ocr'], stopWithinMs: 20_000 },
};
/** Of `npm start`: by default, a worker polls all queues (decision 661). */
const FEW_APPS: Partial<Record<AppName, App>> = {
  api: APPS.api,
  worker: { ...APPS.worker, args: ['worker/main.ts'] },
};
/** With glibc's default, the memory of the workers rises for hours. As the Dockerfile has it. */
const MALLOC_ARENA_MAX = '2';
/** The launcher builds the workflow bundle here, once for all stacks of this checkout. */
export const WORKFLOW_BUNDLE = join(PROJECT_ROOT, 'dist', 'workflow-bundle.js');

/** Plans how to run an app, which is ready once /readyz of the origin returns 2xx. */
function planApp(
  name: AppName,
  app: App,
  options: { origin: string; env: Env; logFile: string },
): ProcessPlan {
  return {
    name,
    title: app.title,
    kind: 'app',
    command: process.execPath,
    args: app.args,
    env: options.env,
    cwd: PROJECT_ROOT,
    logFile: options.logFile,
    ready: async () => {
      const answer = await fetchFromProcess(options.origin, '/readyz', 2_000);
      await answer.body?.cancel();
      return answer.ok;
    },
    readyWithinMs: 90_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: app.stopWithinMs,
    ...(name === 'worker' && usesNewModels(options.env)),
  };
}

const BUILDS = {
  'Workflow bundle': {
    name: 'build-workflows',
    args: [join('worker', 'build-workflows.ts'), '--out', WORKFLOW_BUNDLE],
  },
  Console: { name: 'build-console', args: [join('dev', 'build-console.ts')] },
  'Compiled code': { name: 'compile-code', args: [join('dev', 'compile-code.ts')] },
};

/** Builds a part of this checkout, unless it is up to date: the bundle for the workers, the console that the API serves, or the code that later processes load. */
export async function buildPart(
  up: Pick<BringUp, 'part' | 'env' | 'home' | 'signal'>,
  title: keyof typeof BUILDS,
): Promise<void> {
  const { name, args } = BUILDS[title];
  await up.part(title, async () => {
    const plan = {
      command: process.execPath,
      args,
      env: up.env,
      cwd: PROJECT_ROOT,
      logFile: up.home.log(name),
    };
    await runTask(title, plan, up.signal);
    return undefined;
  });
}

/**
 * Prepares the database: the schema, and a tenant of each tier. One process for both, since most of its time is its start.
 *
 * @param limitRequests false for tenants without a rate limit
 */
export async function setUpDatabase(up: BringUp, env: Env, limitRequests: boolean): Promise<void> {
  const title = 'Database schema and tenants';
  const program = join('cli', 'admin', 'main.ts');
  await up.part(title, async () => {
    const plan = {
      command: process.execPath,
      args: [program, 'seed', '--migrate', '--credentials', up.home.credentials],
      env: { ...up.env, ...env },
      cwd: PROJECT_ROOT,
      logFile: up.home.log('seed'),
    };
    if (!limitRequests) plan.args.push('--unlimited-requests');
    await runTask(title, plan, up.signal);
    return undefined;
  });
}

/** Makes links in emails point to this API, unless the caller has set PUBLIC_BASE_URL. */
function workerEnv(up: BringUp, env: Env): Env {
  const { PUBLIC_BASE_URL = originOf(env.HOST ?? '127.0.0.1', up.ports.api) } = up.env;
  return { PUBLIC_BASE_URL };
}

/** A worker that embeds documents chooses its model at its start; this one follows when the models have been fetched. */
function usesNewModels({ MODELS_DIR, MODEL_FOLDER }: Env): Pick<ProcessPlan, 'beforeStart' | 'needsRestart'> {
  const isThere = () => findSentenceModels({ MODELS_DIR, MODEL_FOLDER }) !== undefined;
  let hasThem = true;
  return {
    beforeStart: async () => void (hasThem = isThere()),
    needsRestart: async () => (!hasThem && isThere() ? 'does not use the new models yet' : undefined),
  };
}

/**
 * Starts the API and the workers. Resolves when each is ready.
 *
 * @param env       settings for connecting to the servers
 * @param extra     additional settings for individual apps
 * @param oneWorker whether one worker polls all queues
 */
export async function startApps(
  up: BringUp,
  env: Env,
  extra: Partial<Record<AppName, Env>>,
  oneWorker: boolean,
): Promise<void> {
  const start = async (name: AppName, app: App) => {
    const port = up.ports[name];
    const origin = name === 'api' ? originOf(env.HOST ?? '127.0.0.1', port) : originOf('127.0.0.1', port);
    const plan = planApp(name, app, {
      origin,
      env: {
        NODE_ENV: 'development',
        MALLOC_ARENA_MAX,
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
  const apps = Object.entries(oneWorker ? FEW_APPS : APPS) as [AppName, App][];
  await up.all(apps.map(([name, app]) => start(name, app)));
}
