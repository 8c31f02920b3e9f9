import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { claimPorts } from '../../dev/launcher/ports.ts';
import { APPS, type AppName } from '../../dev/launcher/start-apps.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { COMPILE_CACHE, PROJECT_ROOT } from '../../dev/project-root.ts';
import { fetchFromProcess } from '../../dev/processes/fetch-from-process.ts';

const READY_WITHIN_MS = 120_000;
const POLL_MS = 250;

/** Further processes of a stack. */
export interface Replicas {
  /** Addresses of the APIs, including `/api/v2`. */
  apiUrls: string[];
  /** Process ids, by the name of the process with its number, such as `worker#2`. */
  pids: Record<string, number>;
  stop(): Promise<void>;
}

/**
 * Starts further APIs and workers on the servers of a stack. Resolves when they are ready.
 *
 * @param counts how many processes of each kind there are in all, with those of the stack
 * @param env    their environment, and settings that differ from those of the stack
 */
export async function startReplicas(
  stack: Stack,
  env: NodeJS.ProcessEnv,
  counts: { apis: number; workers: number },
): Promise<Replicas> {
  const names = Object.keys(APPS) as AppName[];
  const wanted = names.flatMap((name) => {
    const count = name === 'api' ? counts.apis : counts.workers;
    return Array.from({ length: count - 1 }, (_, at) => ({ name, role: `${name}#${at + 2}` }));
  });
  const ports = await claimPorts(Object.fromEntries(wanted.map(({ role }) => [role, { wanted: 0 }])), {});
  const started = new Map<string, ChildProcess>();
  const stop = async () => {
    await Promise.all(
      [...started.values()].map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
      }),
    );
  };
  try {
    for (const { name, role } of wanted) {
      const port = String(ports[role]);
      const own = name === 'api' ? { PORT: port } : { WORKER_HEALTH_PORT: port };
      const child = spawn(process.execPath, APPS[name].args, {
        cwd: PROJECT_ROOT,
        env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...stack.env, ...env, ...own },
        stdio: 'ignore',
      });
      started.set(role, child);
    }
    await Promise.all(
      wanted.map(({ role }) => untilReady(`http://127.0.0.1:${ports[role]}`, started.get(role))),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    apiUrls: wanted
      .filter(({ name }) => name === 'api')
      .map(({ role }) => `http://127.0.0.1:${ports[role]}/api/v2`),
    pids: Object.fromEntries([...started].map(([role, { pid = NaN }]) => [role, pid])),
    stop,
  };
}

async function untilReady(origin: string, child: ChildProcess | undefined): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const answer = await fetchFromProcess(origin, '/readyz', 2_000).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    if (child?.exitCode !== null)
      throw new Error(`A further process ended with exit code ${child?.exitCode}.`);
    if (Date.now() > deadline) throw new Error(`The process at ${origin} is not ready.`);
    await delay(POLL_MS);
  }
}
