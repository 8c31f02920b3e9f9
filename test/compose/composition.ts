import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import { eventually } from '../support/api.ts';
import type { Podman } from './podman.ts';

interface Service {
  image: string;
  profiles?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: object;
}

/** For Temporal's first start on a busy machine. */
const STARTED_WITHIN_S = 300;

/** The services of `docker-compose.yml` and what they need. */
export function readServices(): Record<string, Service> {
  const text = readFileSync(join(PROJECT_ROOT, 'docker-compose.yml'), 'utf8');
  return (parse(text, { merge: true }) as { services: Record<string, Service> }).services;
}

/**
 * Starts services, by default all, each after those that it needs have ended or are healthy, as its conditions say: Podman
 * ignores them before version 4.6, and needs systemd for health checks.
 */
export async function bringUp(
  podman: Podman,
  onProgress: (text: string) => void,
  names?: readonly string[],
): Promise<void> {
  const services = readServices();
  const isOneShot = (name: string) =>
    Object.values(services).some(
      ({ depends_on: needs }) => needs?.[name]?.condition === 'service_completed_successfully',
    );
  const started = new Map<string, Promise<void>>();
  const start = (name: string): Promise<void> => {
    const known = started.get(name);
    if (known) return known;
    const begun = (async () => {
      for (const needed of Object.keys(services[name]?.depends_on ?? {})) await start(needed);
      onProgress(`starting ${name}`);
      await podman.compose(['up', '--detach', '--no-deps', '--no-build', name]);
      await untilReady(podman, name, isOneShot(name));
    })();
    started.set(name, begun);
    return begun;
  };
  // One after the other: podman-compose creates networks and volumes without a lock.
  for (const name of names ?? Object.keys(services)) await start(name);
  // Podman changes the network for each container: right after the last one, Postgres cannot be reached for a moment.
  if (started.has('api')) {
    const doctor = ['exec', '-T', 'api', 'node', 'cli/doctor/main.ts'];
    await eventually(() => podman.compose(doctor), STARTED_WITHIN_S);
  }
}

/** Waits until the containers of a service have ended with success, or are healthy. */
export async function untilReady(podman: Podman, service: string, isOneShot = false): Promise<void> {
  await eventually(
    async () => {
      const containers = await podman.containersOf(service);
      if (containers.length === 0) throw new Error('there is no container');
      for (const container of containers) {
        const state = await podman.run([
          'inspect',
          '--format',
          '{{.State.Status}} {{.State.ExitCode}}',
          container,
        ]);
        if (isOneShot && state !== 'exited 0') throw new Error(`${container} is ${state}`);
        if (!isOneShot && !state.startsWith('running')) throw new Error(`${container} is ${state}`);
        if (!isOneShot && readServices()[service]?.healthcheck)
          await podman.run(['healthcheck', 'run', container]);
      }
    },
    STARTED_WITHIN_S,
    async () => {
      const [container] = await podman.containersOf(service);
      return container ? podman.run(['logs', '--tail', '3', container]) : '';
    },
  );
}

/** Starts what a service lacks of its replicas, beside those that run. Podman-compose ignores `deploy` without its default mode. */
export async function fillUp(podman: Podman, service: string, replicas: number): Promise<void> {
  const options = ['--detach', '--no-deps', '--no-build', '--no-recreate'];
  await podman.compose(['up', ...options, '--scale', `${service}=${replicas}`, service]);
  await untilReady(podman, service);
}

/** Sends SIGKILL to the processes of a container from outside, as a crash; it restarts by its policy. */
export async function crash(podman: Podman, container: string): Promise<void> {
  const pid = Number(await podman.run(['inspect', '--format', '{{.State.Pid}}', container]));
  if (!(pid > 0)) throw new Error(`${container} is not running`);
  process.kill(pid, 'SIGKILL');
}
