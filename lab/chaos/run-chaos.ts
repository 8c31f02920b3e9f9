import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../dev/launcher/stack.ts';
import type { Bar } from '../shared/bar.ts';
import { createHttp, type Http } from '../shared/http.ts';
import { ingest } from './ingest.ts';
import { startKiller } from './killer.ts';
import { countOpenSessions, explainFile, hasEnded, listFiles, listSessions, tally } from './read-state.ts';
import { piecesOf, type ChaosPlan } from './plan.ts';
import { runAudit } from './run-audit.ts';
import { shareDone, watchForStall } from './progress.ts';
import { breachesOf, findProblems, type Acknowledged, type Findings, type ListedFile } from './verdict.ts';
import { findWebhookProblems, watchWebhooks } from './webhook-watch.ts';
import { describePendingWork } from './pending-work.ts';

const POLL_MS = 2_000;
/** Maximum number of incomplete files whose explanation is read from the API. */
const EXPLAINED = 100;
/** A line of the audit that reports a breach. */
const AUDIT_BREACH = /^I\d+ +breach: /;

export interface ChaosResult {
  findings: Findings;
  /** One line per problem. */
  breaches: string[];
  acknowledged: number;
  acknowledgedFile: string;
  statuses: Record<string, number>;
  kills: ReadonlyMap<string, number>;
  unexpectedExits: ReadonlyMap<string, number>;
  clientProblems: ReadonlyMap<string, number>;
  /** Counts of delivered events, of their requests, and of events that are missing or have several ids. */
  webhooks: { events: number; requests: number; problems: number };
  /** Exit code of the audit. */
  auditCode: number | null;
  seconds: { ingest: number; end: number };
}

/** Executes a plan on an unsupervised stack, then checks the result. Prints each breach as it is found. */
export async function runChaos(options: {
  stack: Stack;
  /** Environment of the audit process. */
  env: NodeJS.ProcessEnv;
  plan: ChaosPlan;
  seed: number;
  bar: Bar;
  signal: AbortSignal;
}): Promise<ChaosResult> {
  const { stack, plan, seed, bar } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const { api_url: apiUrl, api_key: apiKey } = stack.runInfo;
  const found = (breach: string) => {
    breaches.push(breach);
    bar.print(`✗ ${breach}`);
  };
  const clientProblems = new Map<string, number>();
  const connect = (until: AbortSignal) =>
    createHttp({
      apiUrl,
      apiKey,
      signal: until,
      problems: clientProblems,
      onFailure: (line) => bar.print(`✗ ${line}`),
    });
  const givenUp = new AbortController();
  const uploadSignal = AbortSignal.any([signal, givenUp.signal]);
  const [client, viewer] = [connect(uploadSignal), connect(signal)];
  const names = plan.deliveries.flatMap(piecesOf).map(({ name }) => name);
  const acknowledgedFile = join(stack.home, 'acknowledged.jsonl');
  writeFileSync(acknowledgedFile, '');
  const acknowledged: Acknowledged[] = [];
  const breaches: string[] = [];
  let [accepted, uploading] = [0, true];
  let listed: ListedFile[] = [];
  const ended = () => listed.filter(hasEnded).length;
  const contents = new Set(plan.deliveries.flatMap(piecesOf).map(({ content }) => content)).size;
  const progress = () => {
    // The list may be a few seconds old, so acknowledged files are added.
    const stored = new Set([...listed.map(({ id }) => id), ...acknowledged.map(({ fileId }) => fileId)]).size;
    return shareDone({ files: names.length, contents, uploading, accepted, stored, ended: ended() });
  };

  const webhooks = await watchWebhooks(viewer, signal);
  const began = performance.now();
  const killer = startKiller({ stack, kills: plan.kills, progress, signal });
  const killed = () => [...killer.kills.values()].reduce((sum, count) => sum + count, 0);
  const watching = watch(viewer, signal, (files) => {
    listed = files;
    bar.show(accepted, ended(), `${killed()} of ${plan.kills.length} kills`);
  });
  let ingested = began;

  async function run(): Promise<void> {
    await ingest({
      http: client,
      plan,
      seed,
      acknowledge(file) {
        const { fileId, sha256, name } = file;
        acknowledged.push(file);
        appendFileSync(acknowledgedFile, `${JSON.stringify({ file_id: fileId, sha256, name })}\n`);
      },
      onAccepted: (count) => (accepted += count),
      onRefused: ({ message }) => found(`an upload was abandoned: ${message}`),
      signal: uploadSignal,
    });
    uploading = false;
    ingested = performance.now();
    await webhooks.rotate();
    await killer.done;
    await untilAllEnded(viewer, signal);
    await webhooks.delivered();
  }

  const settled = new AbortController();
  try {
    await Promise.race([
      run(),
      // Rejects if a process cannot be restarted; the last kill must not end the race.
      killer.done.then(() => new Promise<never>(() => undefined)),
      watchForStall({
        state: () =>
          [accepted, acknowledged.length, listed.length, ended(), killed(), webhooks.received.size].join(),
        explain: () =>
          describePendingWork({
            client,
            viewer,
            origin: new URL(apiUrl).origin,
            files: listed,
            env: { ...options.env, ...stack.env },
          }),
        print: (line) => bar.print(line),
        signal: AbortSignal.any([signal, settled.signal]),
      }),
    ]);
  } catch (error) {
    options.signal.throwIfAborted();
    found(error instanceof Error ? error.message : String(error));
    if (uploading) ingested = performance.now();
    givenUp.abort();
    killer.stop();
    // A failed restart has been reported already.
    await killer.done.catch(() => undefined);
  } finally {
    settled.abort();
  }
  const finished = performance.now();
  bar.show(accepted, ended(), 'auditing');
  const auditCode = await runAudit({ ...options.env, ...stack.env }, acknowledgedFile, {
    onLine: (line) => (AUDIT_BREACH.test(line) ? found(line) : bar.print(line)),
    signal,
  });
  const atEnd = await listFiles(viewer).catch(() => listed);
  await explainUnfinished(viewer, atEnd);
  const sessions = await listSessions(viewer).catch(() => []);
  over.abort();
  await watching;
  await webhooks.stop();

  const findings = findProblems(names, acknowledged, atEnd);
  const unexpected = [...clientProblems].filter(([problem]) => problem.startsWith('answered 5'));
  const received = [...webhooks.received.values()];
  const problems = [...findWebhookProblems(received, atEnd, sessions), ...webhooks.refused];
  for (const breach of [...breachesOf(findings), ...problems]) found(breach);
  for (const [problem, count] of unexpected) found(`the API ${problem} ${count} times`);
  if (auditCode !== 0 && auditCode !== 1) found(`the audit ended with exit code ${auditCode}`);
  return {
    findings,
    breaches,
    acknowledged: acknowledged.length,
    acknowledgedFile,
    statuses: tally(atEnd),
    kills: killer.kills,
    unexpectedExits: killer.unexpectedExits,
    clientProblems,
    webhooks: {
      events: received.length,
      requests: received.reduce((sum, { times }) => sum + times, 0),
      problems: problems.length,
    },
    auditCode,
    seconds: { ingest: (ingested - began) / 1000, end: (finished - ingested) / 1000 },
  };
}

/** Adds the API's explanation to files that are not completed. */
async function explainUnfinished(http: Http, files: readonly ListedFile[]): Promise<void> {
  for (const file of files.filter(({ primaryStatus }) => primaryStatus !== 'completed').slice(0, EXPLAINED)) {
    const explanation = await explainFile(http, file.id).catch(() => undefined);
    if (explanation !== undefined) file.explanation = explanation;
  }
}

async function watch(http: Http, signal: AbortSignal, show: (files: ListedFile[]) => void): Promise<void> {
  while (!signal.aborted) {
    // A failed poll is retried by the next one.
    const files = await listFiles(http).catch(() => undefined);
    if (files) show(files);
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function untilAllEnded(http: Http, signal: AbortSignal): Promise<void> {
  for (;;) {
    const [files, sessions] = [await listFiles(http), await countOpenSessions(http)];
    if (files.every(hasEnded) && sessions === 0) return;
    await delay(POLL_MS, undefined, { signal });
  }
}
