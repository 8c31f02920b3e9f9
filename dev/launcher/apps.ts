import { join } from 'node:path';
import type { Env, ProcessName, ProcessPlan } from '../processes/process-plan.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { send } from '../../client/send.ts';

export type AppName = Extract<ProcessName, 'api' | 'worker' | 'worker-cpu' | 'worker-ocr'>;

interface App {
  title: string;
  args: string[];
  stopWithinMs: number;
}

const APPS: Record<AppName, App> = {
  // Body chunks are short-lived: a small young generation keeps uploads from growing the process and halves its CPU
  // (bench P2).
  api: { title: 'API', args: ['--max-semi-space-size=1', 'api/main.ts'], stopWithinMs: 20_000 },
  worker: {
    title: 'Worker',
    args: ['worker/main.ts', '--queues', 'workflows,io,index,web,vision'],
    stopWithinMs: 20_000,
  },
  // A process of its own: a file that kills a decoder must not kill a workflow.
  'worker-cpu': { title: 'Worker (cpu)', args: ['worker/main.ts', '--queues', 'cpu'], stopWithinMs: 20_000 },
  'worker-ocr': { title: 'Worker (ocr)', args: ['worker/main.ts', '--queues', 'ocr'], stopWithinMs: 20_000 },
};
/** The launcher builds the workflow bundle here, once for all stacks of this checkout. */
export const WORKFLOW_BUNDLE = join(PROJECT_ROOT, 'dist', 'workflow-bundle.js');

export const APP_NAMES = Object.keys(APPS) as AppName[];

/** How to run an app. It is ready when /readyz of the origin answers 2xx. */
export function planApp(name: AppName, options: { origin: string; env: Env; logFile: string }): ProcessPlan {
  const app = APPS[name];
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
      const answer = await send({ url: options.origin }, 'GET', '/readyz', {
        signal: AbortSignal.timeout(2_000),
      });
      await answer.body?.cancel();
      return answer.ok;
    },
    readyWithinMs: 90_000,
    stopSignal: 'SIGTERM',
    stopWithinMs: app.stopWithinMs,
  };
}

/** Builds the workflow bundle of all workers, unless it is up to date. */
export const WORKFLOW_BUILD = {
  title: 'Workflow bundle',
  name: 'build-workflows',
  command: process.execPath,
  args: [join('worker', 'build-workflows.ts'), '--out', WORKFLOW_BUNDLE],
};

/** The programs that prepare a database for the apps, in order. */
export function planSetup(
  credentialsFile: string,
  limitRequests: boolean,
): { title: string; name: string; command: string; args: string[] }[] {
  const node = (...args: string[]) => ({ command: process.execPath, args });
  return [
    { title: 'Database migration', name: 'migrate', ...node(join('db', 'migrate.ts')) },
    {
      title: 'Creation of the tenants',
      name: 'seed',
      ...node(
        join('cli', 'admin', 'main.ts'),
        'seed',
        '--credentials',
        credentialsFile,
        ...(limitRequests ? [] : ['--unlimited-requests']),
      ),
    },
  ];
}
