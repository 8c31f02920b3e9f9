import type { Worker } from '@temporalio/worker';
import { createServer, type Server } from 'node:http';
import { Gauge, register } from 'prom-client';
import type { Containment } from '../engines/hosts/containment/plan.ts';
import { isInwardHost } from '../domain/inward-host.ts';
import { VERSION } from '../domain/version.ts';
import type { WorkerConfig } from './config.ts';

/**
 * `/healthz`: the process is alive, its version, and how its children are contained. `/readyz`: every worker is polling, and the
 * engine answers; otherwise all their pollers stand still, whatever state they report. `/metrics`: Prometheus text.
 */
export async function serveHealth(
  { WORKER_HOST: host, WORKER_HEALTH_PORT: port }: Pick<WorkerConfig, 'WORKER_HOST' | 'WORKER_HEALTH_PORT'>,
  workers: () => Worker[],
  engineAnswers: () => Promise<boolean>,
  containment: Containment,
): Promise<Server> {
  const contained = new Gauge({
    name: 'darkroom_containment',
    help: 'Containment of the processes that read files of tenants: 1 for the level in force',
    labelNames: ['level'],
  });
  contained.set({ level: containment.level }, 1);
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/healthz') return answer(200, { status: 'ok', version: VERSION, containment });
    if (request.url === '/readyz') {
      const queues = Object.fromEntries(
        workers().map((worker) => [worker.options.taskQueue, stateOf(worker)]),
      );
      const polling = workers().length > 0 && workers().every((worker) => stateOf(worker) === 'RUNNING');
      if (!polling) return answer(503, { status: 'not polling', queues });
      return void engineAnswers().then((answers) =>
        answer(answers ? 200 : 503, { status: answers ? 'ok' : 'the engine does not answer', queues }),
      );
    }
    if (request.url === '/metrics' && isInwardHost(request.headers.host)) {
      return void register
        .metrics()
        .then((text) => response.writeHead(200, { 'content-type': register.contentType }).end(text));
    }
    return answer(404, { detail: 'not found' });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return server;
}

/** A worker stays `RUNNING` when one of its pollers has failed. */
function stateOf(worker: Worker): string {
  const { runState, workflowPollerState, activityPollerState } = worker.getStatus();
  return runState === 'RUNNING' && [workflowPollerState, activityPollerState].includes('FAILED')
    ? 'FAILED'
    : runState;
}
