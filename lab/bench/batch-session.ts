import type { temporal } from '@temporalio/proto';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import { resolveApiKey } from '../../services/accounts/api-key.ts';
import { startUploadSession } from '../../services/upload-sessions/open-upload-session.ts';
import { openWorkerDeps, type WorkerDeps } from '../../worker/deps.ts';
import { stopWorkers, WORKERS } from './bench-stack.ts';
import type { BenchContext } from './context.ts';
import { createPlainLoop } from './plain-loop.ts';
import { readCpuTimes, usedBetween, type CpuTimes } from './cpu-time.ts';
import { createFloor } from './run-floor.ts';
import { largePhotographs, smallPhotographs, storeFiles, storeSession } from './session-files.ts';
import { goalResult, interleave, median, milliseconds, ratios, spread } from './statistics.ts';
import { WORKER_SETTINGS, type WorkerSettings } from '../../worker/settings.ts';
import { UPLOAD_SESSION_WORKFLOWS } from '../../temporal/contract/upload-session.ts';

const FILES = 200;

/** Settings of the workers that this process runs against the servers of a stack. */
export function workerSettings(env: Record<string, string>) {
  return readConfig(WORKER_SETTINGS, env);
}

/**
 * W2: a session of 200 stored photographs in the worker processes of the stack, from the start of its workflow to its
 * completed record, compared with a plain loop over the same functions with the same concurrency in this process. Uses
 * photographs of 480 pixels, then of 6 megapixels, or a given one. Also reports the CPU time per file of every process,
 * and that of a bare session in the same rounds.
 *
 * W3: the size of the history of such a session's workflow.
 */
export async function run({
  rounds,
  photograph,
  stack: startStack,
  progress,
}: BenchContext): Promise<string[]> {
  const stack = await startStack();
  const config = workerSettings(stack.env);
  const { deps, close } = await openWorkerDeps(config);
  if (Runtime._instance === undefined) Runtime.install({ logger: new DefaultLogger('ERROR') });
  const floor = await createFloor(config.TEMPORAL_ADDRESS, deps.engine);
  for (const name of WORKERS) await stack.start(name);
  try {
    const principal = await resolveApiKey(deps.orm.em.fork(), stack.runInfo.api_key);
    const kinds = photograph
      ? { 'the given photograph': [Buffer.from(photograph)] }
      : { '480 pixels': await smallPhotographs(), '6 megapixels': await largePhotographs() };
    const lines: string[] = [];
    for (const [kind, photographs] of Object.entries(kinds)) {
      lines.push(...(await measure(kind, { deps, config, principal, photographs, floor })));
    }
    return lines;
  } finally {
    await stopWorkers(stack);
    await floor.stop();
    await close();
  }

  async function measure(
    kind: string,
    { deps, config, principal, photographs, floor }: Measured,
  ): Promise<string[]> {
    const loop = createPlainLoop(deps, config);
    const histories: HistoryCost[] = [];
    const turns = await interleave(
      rounds,
      {
        session: async () => {
          const session = await storeSession(deps, principal, { photographs, count: FILES });
          const cost = await costOf(() => processSession(deps, session));
          histories.push(await costOfHistory(deps, session.id));
          return cost;
        },
        loop: async () => {
          const files = await storeFiles(deps, principal, { photographs, count: FILES });
          const cost = await costOf(() => loop(files));
          const ids = files.map(({ id }) => id);
          await expectCompleted(deps, ids);
          return cost;
        },
        floor: () => costOf(() => floor.run(FILES)),
      },
      (turn) => progress(`${kind}, ${turn}`),
    );
    const ratio = ratios(wall(turns.loop), wall(turns.session));
    const overhead = turns.session.map(
      (cost, round) => (cost.total - (turns.loop[round]?.total ?? NaN)) / FILES,
    );
    const least = kind === '480 pixels' ? 0.6 : 0.7;
    const events = histories.map((cost) => cost.events / FILES);
    const payloads = histories.map((cost) => cost.largestPayload / 1024);
    return [
      `W2 ${FILES} images of ${kind}, files per second in a session / in a plain loop: ${spread(ratio, 2)}, ${goalResult(ratio, { least })}`,
      `W2 … session ${rate(turns.session)} per second, loop ${rate(turns.loop)} per second`,
      `W2 … CPU ms per file more than the loop: ${spread(overhead, 1)}, ${goalResult(overhead, { most: 60 })}`,
      `W2 … session: ${byProcess(turns.session)}`,
      `W2 … loop: ${byProcess(turns.loop)}`,
      `W2 … floor, a bare child workflow of one activity: ${byProcess(turns.floor)}`,
      `W3 events per file in the history of the session's workflow: ${spread(events, 1)}, ${goalResult(events, { most: 12 })}`,
      `W3 largest payload in that history: ${spread(payloads, 1)} KB, ${goalResult(payloads, { most: 8 })}`,
    ];
  }

  async function costOf(work: () => Promise<unknown>): Promise<TurnCost> {
    const roots = { bench: process.pid, ...stack.runInfo.pids };
    const before = readCpuTimes(roots);
    const elapsed = await milliseconds(work);
    const used = usedBetween(before, readCpuTimes(roots));
    return { elapsed, used, total: Object.values(used).reduce((sum, ms) => sum + ms, 0) };
  }
}

interface Measured {
  deps: WorkerDeps;
  config: WorkerSettings;
  principal: Principal;
  photographs: Buffer[];
  floor: { run(count: number): Promise<void> };
}

/** The cost of a turn: wall-clock and CPU milliseconds. */
interface TurnCost {
  elapsed: number;
  used: CpuTimes;
  total: number;
}

const wall = (costs: TurnCost[]) => costs.map(({ elapsed }) => elapsed);

function rate(costs: TurnCost[]): string {
  return spread(
    costs.map(({ elapsed }) => (FILES * 1000) / elapsed),
    1,
  );
}

/** Median CPU milliseconds per file, in total and by process. */
function byProcess(costs: TurnCost[]): string {
  const perFile = (ms: number[]) => median(ms.map((one) => one / FILES));
  const names = Object.keys(costs[0]?.used ?? {});
  const parts = names
    .map((name) => [name, perFile(costs.map(({ used }) => used[name] ?? 0))] as const)
    .filter(([, ms]) => ms >= 0.5)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
  return `${perFile(costs.map(({ total }) => total)).toFixed(1)} ms (${parts.join(', ')})`;
}

async function processSession(deps: WorkerDeps, session: UploadSession): Promise<void> {
  await startUploadSession(deps.engine, session);
  await deps.engine.client.workflow.getHandle(UPLOAD_SESSION_WORKFLOWS.of(session.id)).result();
  const { status } = await deps.orm.em.fork().findOneOrFail(UploadSession, session.id);
  if (status !== 'completed') throw new Error(`the session ended as ${status}`);
  const em = deps.orm.em.fork();
  const left = await em.count(StoredFile, { sessionId: session.id, primaryStatus: { $ne: 'completed' } });
  if (left > 0) throw new Error(`${left} files of the session are not completed`);
}

async function expectCompleted({ orm }: WorkerDeps, ids: string[]): Promise<void> {
  const completed = await orm.em.fork().count(StoredFile, { id: { $in: ids }, primaryStatus: 'completed' });
  if (completed !== ids.length) throw new Error(`the loop completed ${completed} of ${ids.length} files`);
}

interface HistoryCost {
  events: number;
  /** Bytes. */
  largestPayload: number;
}

async function costOfHistory({ engine }: WorkerDeps, sessionId: string): Promise<HistoryCost> {
  const { events } = await engine.client.workflow
    .getHandle(UPLOAD_SESSION_WORKFLOWS.of(sessionId))
    .fetchHistory();
  const sizes = (events ?? []).flatMap(payloadSizes);
  return { events: events?.length ?? 0, largestPayload: Math.max(...sizes) };
}

/** Sizes of all payloads in an event. */
function payloadSizes(event: temporal.api.history.v1.IHistoryEvent): number[] {
  const sizes: number[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
    if ('data' in value && value.data instanceof Uint8Array) sizes.push(value.data.length);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(event);
  return sizes;
}
