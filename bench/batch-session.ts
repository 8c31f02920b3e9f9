import type { temporal } from '@temporalio/proto';
import { ocrConfig } from '../adapters/models/ocr/config.ts';
import { visionConfig } from '../adapters/models/vision/config.ts';
import { s3Config } from '../adapters/object-store/config.ts';
import { vectorConfig } from '../adapters/vector-index/config.ts';
import { databaseConfig } from '../db/config.ts';
import { StoredFile } from '../db/entities/files/stored-file.ts';
import { UploadSession } from '../db/entities/upload-sessions/upload-session.ts';
import { readConfig } from '../domain/schemas/read-config.ts';
import { resolvePrincipal } from '../services/accounts/resolve-principal.ts';
import { startUploadSession } from '../services/upload-sessions/start-upload-session.ts';
import { temporalConfig } from '../temporal/config.ts';
import { sessionWorkflowId } from '../temporal/contract/ids.ts';
import { workerConfig } from '../worker/config.ts';
import { openWorkerDeps, type WorkerDeps } from '../worker/deps.ts';
import type { BenchContext } from './context.ts';
import { createPlainLoop } from './plain-loop.ts';
import { runWorkers } from './run-workers.ts';
import { smallPhotographs, storeFiles, storeSession } from './session-files.ts';
import { interleave, milliseconds, ratios, spread, goalResult } from './statistics.ts';

const FILES = 200;

/** Settings of the workers that this process runs against the servers of a stack. */
export function workerSettings(env: Record<string, string>) {
  return readConfig(
    [workerConfig, databaseConfig, temporalConfig, s3Config, ocrConfig, visionConfig, vectorConfig],
    env,
  );
}

/**
 * W2: a session of 200 photographs, of 480 pixels unless one is given, from the start of its workflow to its completed
 * record, against a plain loop over the same activity functions with the same concurrency; both in this process, both
 * on stored files.
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
  const { deps, close } = openWorkerDeps(config);
  const stopWorkers = await runWorkers(config, deps);
  try {
    const principal = await resolvePrincipal(deps.orm.em.fork(), stack.runInfo.api_key);
    const photographs = photograph ? [Buffer.from(photograph)] : await smallPhotographs();
    const loop = createPlainLoop(deps, config);
    const costs: HistoryCost[] = [];
    const times = await interleave(
      rounds,
      {
        session: async () => {
          const session = await storeSession(deps, principal, { photographs, count: FILES });
          const elapsed = await milliseconds(() => processSession(deps, session));
          costs.push(await costOfHistory(deps, session.id));
          return elapsed;
        },
        loop: async () => {
          const files = await storeFiles(deps, principal, { photographs, count: FILES });
          const elapsed = await milliseconds(() => loop(files));
          await expectCompleted(
            deps,
            files.map(({ id }) => id),
          );
          return elapsed;
        },
      },
      (turn) => progress(turn),
    );
    const ratio = ratios(times.loop, times.session);
    const rate = (elapsed: number[]) =>
      spread(
        elapsed.map((ms) => (FILES * 1000) / ms),
        1,
      );
    const events = costs.map((cost) => cost.events / FILES);
    const payloads = costs.map((cost) => cost.largestPayload / 1024);
    return [
      `W2 ${FILES} images in a session / in a plain loop, files a second: ${spread(ratio, 2)}, ${goalResult(ratio, { least: 0.7 })}`,
      `W2 … session ${rate(times.session)} a second, loop ${rate(times.loop)} a second`,
      `W3 events of the session's workflow a file: ${spread(events, 1)}, ${goalResult(events, { most: 12 })}`,
      `W3 largest payload in it: ${spread(payloads, 1)} KB, ${goalResult(payloads, { most: 8 })}`,
    ];
  } finally {
    await stopWorkers();
    await close();
  }
}

async function processSession(deps: WorkerDeps, session: UploadSession): Promise<void> {
  await startUploadSession({ em: deps.orm.em.fork(), engine: deps.engine }, session);
  await deps.engine.client.workflow.getHandle(sessionWorkflowId(session.id)).result();
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
  const { events } = await engine.client.workflow.getHandle(sessionWorkflowId(sessionId)).fetchHistory();
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
