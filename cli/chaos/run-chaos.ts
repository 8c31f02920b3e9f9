import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../dev/launcher/stack.ts';
import type { Bar } from '../shared/bar.ts';
import { createHttp, type Http } from '../shared/http.ts';
import { ingest } from './ingest.ts';
import { startKiller } from './killer.ts';
import { countOpenSessions, hasEnded, listFiles, tally } from './look.ts';
import { piecesOf, type ChaosPlan } from './plan.ts';
import { runAudit } from './run-audit.ts';
import { breachesOf, findProblems, type Acknowledged, type Findings, type ListedFile } from './verdict.ts';

const POLL_MS = 2_000;
/** Counted from when the last file is accepted and the last process is back. */
const ENDED_WITHIN_MS = 300_000;

export interface ChaosResult {
  findings: Findings;
  /** One line per problem. */
  breaches: string[];
  acknowledged: number;
  acknowledgedFile: string;
  statuses: Record<string, number>;
  kills: ReadonlyMap<string, number>;
  deaths: ReadonlyMap<string, number>;
  troubles: ReadonlyMap<string, number>;
  audit: { code: number | null; output: string };
  seconds: { ingest: number; end: number };
}

/** Executes a plan on an unsupervised stack, then checks the result. */
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
  const http = createHttp({ apiUrl, apiKey, signal });
  const names = plan.deliveries.flatMap(piecesOf).map(({ name }) => name);
  const acknowledgedFile = join(stack.home, 'acknowledged.jsonl');
  writeFileSync(acknowledgedFile, '');
  const acknowledged: Acknowledged[] = [];
  const breaches: string[] = [];
  let accepted = 0;
  let listed: ListedFile[] = [];
  const ended = () => listed.filter(hasEnded).length;
  // Duplicates share the file that they duplicate.
  const contents = new Set(plan.deliveries.flatMap(piecesOf).map(({ content }) => content)).size;
  const progress = () => (accepted / names.length + ended() / contents) / 2;

  const began = performance.now();
  const killer = startKiller({ stack, kills: plan.kills, progress, signal });
  const watching = watch(http, signal, (files) => {
    listed = files;
    const killed = [...killer.kills.values()].reduce((sum, count) => sum + count, 0);
    bar.show(accepted, ended(), `${killed} of ${plan.kills.length} kills`);
  });
  try {
    await Promise.race([
      ingest({
        http,
        plan,
        seed,
        acknowledge(file) {
          const { fileId, sha256, name } = file;
          acknowledged.push(file);
          appendFileSync(acknowledgedFile, `${JSON.stringify({ file_id: fileId, sha256, name })}\n`);
        },
        onAccepted: (count) => (accepted += count),
        signal,
      }),
      // Rejects when a process cannot be restarted; the last kill must not end the race.
      killer.done.then(() => new Promise<never>(() => undefined)),
    ]);
  } catch (error) {
    signal.throwIfAborted();
    breaches.push(`the files could not be uploaded: ${(error as Error).message}`);
  }
  const ingested = performance.now();
  const atEnd = await untilAllEnded(http, killer.done, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    breaches.push((error as Error).message);
    return listed;
  });
  const finished = performance.now();
  bar.show(accepted, ended(), 'auditing');
  const audit = await runAudit({ ...options.env, ...stack.env }, acknowledgedFile, signal);
  over.abort();
  await watching;

  const findings = findProblems(names, acknowledged, atEnd);
  const unexpected = [...http.troubles].filter(([trouble]) => trouble.startsWith('answered 5'));
  breaches.push(
    ...breachesOf(findings),
    ...unexpected.map(([trouble, count]) => `the API ${trouble}, ${count} times`),
    ...(audit.code === 0 ? [] : ['the audit found breaches']),
  );
  return {
    findings,
    breaches,
    acknowledged: acknowledged.length,
    acknowledgedFile,
    statuses: tally(atEnd),
    kills: killer.kills,
    deaths: killer.deaths,
    troubles: http.troubles,
    audit,
    seconds: { ingest: (ingested - began) / 1000, end: (finished - ingested) / 1000 },
  };
}

async function watch(http: Http, signal: AbortSignal, show: (files: ListedFile[]) => void): Promise<void> {
  while (!signal.aborted) {
    // A failed poll is retried by the next one.
    const files = await listFiles(http).catch(() => undefined);
    if (files) show(files);
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** @throws Error with a readable message after the deadline */
async function untilAllEnded(http: Http, killed: Promise<void>, signal: AbortSignal): Promise<ListedFile[]> {
  await killed;
  const deadline = Date.now() + ENDED_WITHIN_MS;
  for (;;) {
    const [files, sessions] = [await listFiles(http), await countOpenSessions(http)];
    const open = files.filter((file) => !hasEnded(file)).length;
    if (open === 0 && sessions === 0) return files;
    if (Date.now() > deadline) {
      throw new Error(
        `${open} files and ${sessions} sessions have not ended after ${ENDED_WITHIN_MS / 60_000} minutes`,
      );
    }
    await delay(POLL_MS, undefined, { signal });
  }
}
