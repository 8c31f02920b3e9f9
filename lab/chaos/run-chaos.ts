import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../dev/launcher/stack.ts';
import type { Bar } from '../shared/bar.ts';
import { createHttp, type Http } from '../shared/http.ts';
import { checkRun, type CheckedRun } from './check-run.ts';
import type { Clocks } from './clocks.ts';
import type { Connections } from './connections.ts';
import { ingest } from './ingest.ts';
import { startFaults } from './inject-faults.ts';
import { countFiles, countOpenSessions } from './read-state.ts';
import { isReadable, piecesOf, type ChaosPlan, type Piece } from './plan.ts';
import { describePendingWork } from './pending-work.ts';
import { shareDone, watchForStall } from './progress.ts';
import { runTasks, type TaskEnd } from './run-tasks.ts';
import type { Acknowledged } from './verdict.ts';
import type { Volume } from '../shared/volume.ts';
import { startWebSite } from './web-site.ts';
import { watchWebhooks } from './webhook-watch.ts';

const POLL_MS = 2_000;
/** Files in progress at which the client waits before it sends more, so that faults hit uploads until the end. */
const MOST_IN_PROGRESS = 300;
/** Maximum time from the last upload and fault until all files have ended. */
const RECOVERY_MS = 300_000;

export interface ChaosResult extends CheckedRun {
  /** One line per problem. */
  breaches: string[];
  acknowledged: number;
  /** Faults by name. */
  injected: ReadonlyMap<string, number>;
  unexpectedExits: ReadonlyMap<string, number>;
  tasks: readonly TaskEnd[];
  clientProblems: ReadonlyMap<string, number>;
  startedAt: Date;
  /** Time of the uploads, from then until all work had ended, and from the last upload and fault until all files had. */
  seconds: { upload: number; end: number; recovery: number };
}

/** Executes a plan on an unsupervised stack, then checks the result. Prints each breach as it is found. */
export async function runChaos(options: {
  stack: Stack;
  /** Environment of the audit process. */
  env: NodeJS.ProcessEnv;
  plan: ChaosPlan;
  seed: number;
  connections: Connections;
  /** The disk of the stack, if it can be filled. */
  volume: Volume | undefined;
  /** The clocks of API and workers, if they can be changed. */
  clocks: Clocks | undefined;
  bar: Bar;
  signal: AbortSignal;
}): Promise<ChaosResult> {
  const { stack, plan, seed, connections, volume, clocks, bar } = options;
  const startedAt = new Date();
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const { api_url: apiUrl, api_key: apiKey } = stack.runInfo;
  const servers = { ...options.env, ...stack.env };
  const found = (breach: string) => {
    breaches.push(breach);
    bar.print(`✗ ${breach}`);
  };
  const clientProblems = new Map<string, number>();
  const connect = (to: string, until: AbortSignal) =>
    createHttp({
      apiUrl: to,
      apiKey,
      signal: until,
      problems: clientProblems,
      onFailure: (line) => bar.print(`✗ ${line}`),
    });
  const givenUp = new AbortController();
  const clientSignal = AbortSignal.any([signal, givenUp.signal]);
  const client = connect(await connections.connectClient(apiUrl), clientSignal);
  const viewer = connect(apiUrl, signal);
  const pieces = plan.deliveries.flatMap(piecesOf);
  const pieceOf = new Map(pieces.map((piece) => [piece.name, piece]));
  const contents = new Set(pieces.map(({ content }) => content)).size;
  const acknowledged: Acknowledged[] = [];
  const ids = new Set<string>();
  const documents = new Map<string, Piece>();
  const tasks: TaskEnd[] = [];
  const breaches: string[] = [];
  let [accepted, uploading] = [0, true];
  let counted = { stored: 0, open: 0 };
  const ended = () => Math.max(0, counted.stored - counted.open);
  const progress = () => {
    // The count may be a few seconds old, so acknowledged files are added.
    const stored = Math.max(counted.stored, ids.size);
    return shareDone({ files: pieces.length, contents, uploading, accepted, stored, ended: ended() });
  };

  const site = await startWebSite(seed);
  const webhooks = await watchWebhooks(viewer, signal);
  const began = performance.now();
  const faults = startFaults({ stack, faults: plan.faults, connections, volume, clocks, progress, signal });
  const injected = () => [...faults.injected.values()].reduce((sum, count) => sum + count, 0);
  const watching = watch(viewer, signal, (counts) => {
    counted = counts;
    bar.show(accepted, ended(), `${injected()} of ${plan.faults.length} faults`);
  });
  let [uploaded, calm, recovered] = [began, began, began];

  function acknowledge(file: Acknowledged): void {
    const { fileId, name } = file;
    acknowledged.push(file);
    ids.add(fileId);
    const piece = pieceOf.get(name);
    if (piece && isReadable(piece)) documents.set(fileId, piece);
  }

  async function upload(): Promise<void> {
    await ingest({
      http: client,
      plan,
      seed,
      urlOf: site.urlOf,
      async untilRoom() {
        while (counted.open > MOST_IN_PROGRESS) await delay(POLL_MS, undefined, { signal: clientSignal });
      },
      acknowledge,
      onAccepted: (count) => (accepted += count),
      onRefused: ({ message }) => found(`an upload was abandoned: ${message}`),
      signal: clientSignal,
    });
    uploading = false;
    uploaded = performance.now();
  }

  async function run(): Promise<void> {
    const running = runTasks({
      http: client,
      tasks: plan.tasks,
      progress,
      documents,
      onEnd: (end) => tasks.push(end),
      onFailed: found,
      signal: clientSignal,
    });
    await Promise.all([running, uploadAndWait()]);
    await webhooks.delivered();
  }

  async function uploadAndWait(): Promise<void> {
    await upload();
    await webhooks.rotate();
    await faults.done;
    calm = performance.now();
    await untilAllEnded(viewer, signal);
    recovered = performance.now();
    const seconds = Math.round((recovered - calm) / 1000);
    if (recovered - calm > RECOVERY_MS)
      found(`the last file ended ${seconds} s after the last upload and fault`);
  }

  const settled = new AbortController();
  try {
    await Promise.race([
      run(),
      // Rejects if a process cannot be restarted; the last fault must not end the race.
      faults.done.then(() => new Promise<never>(() => undefined)),
      watchForStall({
        state: () =>
          [
            accepted,
            acknowledged.length,
            counted.stored,
            ended(),
            injected(),
            tasks.length,
            webhooks.received.size,
          ].join(),
        explain: () =>
          describePendingWork({
            clients: [client, viewer],
            viewer,
            origin: new URL(apiUrl).origin,
            env: servers,
            pids: stack.runInfo.pids,
            others: { faults: faults.waiting() },
          }),
        print: (line) => bar.print(line),
        signal: AbortSignal.any([signal, settled.signal]),
      }),
    ]);
  } catch (error) {
    options.signal.throwIfAborted();
    found(error instanceof Error ? error.message : String(error));
    if (uploading) uploaded = performance.now();
    givenUp.abort();
    faults.stop();
    // A failed restart has been reported already.
    await faults.done.catch(() => undefined);
  } finally {
    settled.abort();
  }
  const finished = performance.now();
  bar.show(accepted, ended(), 'auditing');
  const checked = await checkRun({
    viewer,
    env: servers,
    plan,
    acknowledged,
    folder: stack.home,
    tasks,
    webhooks,
    bar,
    onBreach: found,
    signal,
  });
  over.abort();
  await watching;
  await webhooks.stop();
  await site.stop();
  for (const [problem, count] of clientProblems) {
    if (problem.startsWith('answered 5')) found(`the API ${problem} ${count} times`);
  }
  return {
    ...checked,
    breaches,
    acknowledged: acknowledged.length,
    injected: faults.injected,
    unexpectedExits: faults.unexpectedExits,
    tasks,
    clientProblems,
    startedAt,
    seconds: {
      upload: (uploaded - began) / 1000,
      end: (finished - uploaded) / 1000,
      recovery: (recovered - calm) / 1000,
    },
  };
}

async function watch(
  http: Http,
  signal: AbortSignal,
  show: (counts: { stored: number; open: number }) => void,
): Promise<void> {
  while (!signal.aborted) {
    // A failed poll is retried by the next one.
    const counts = await countFiles(http).catch(() => undefined);
    if (counts) show(counts);
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function untilAllEnded(http: Http, signal: AbortSignal): Promise<void> {
  for (;;) {
    const [{ open }, sessions] = [await countFiles(http), await countOpenSessions(http)];
    if (open === 0 && sessions === 0) return;
    await delay(POLL_MS, undefined, { signal });
  }
}
