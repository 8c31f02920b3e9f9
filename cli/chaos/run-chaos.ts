import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '../../dev/launcher/stack.ts';
import type { Bar } from './bar.ts';
import { createHttp, type Http } from './http.ts';
import { ingest } from './ingest.ts';
import { startKiller } from './killer.ts';
import { countOpenSessions, hasEnded, listFiles, tally } from './look.ts';
import { piecesOf, type ChaosPlan } from './plan.ts';
import { runAudit } from './run-audit.ts';
import { breachesOf, judge, type Acknowledged, type Judged, type ListedFile } from './verdict.ts';

const LOOK_MS = 2_000;
/** After the last file was taken and the last process is back. */
const ENDED_WITHIN_MS = 300_000;

export interface ChaosResult {
  judged: Judged;
  /** One line per problem; empty when the run went well. */
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

/** Carries out a plan on a stack without supervision, then checks the result. */
export async function runChaos(options: {
  stack: Stack;
  /** Of the processes that are started beside it. */
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
  let taken = 0;
  let listed: ListedFile[] = [];
  const ended = () => listed.filter(hasEnded).length;
  // Duplicates end with the file that they duplicate.
  const contents = new Set(plan.deliveries.flatMap(piecesOf).map(({ content }) => content)).size;
  const progress = () => (taken / names.length + ended() / contents) / 2;

  const began = performance.now();
  const killer = startKiller({ stack, kills: plan.kills, progress, signal });
  const watching = watch(http, signal, (files) => {
    listed = files;
    const killed = [...killer.kills.values()].reduce((sum, count) => sum + count, 0);
    bar.show(taken, ended(), `${killed} of ${plan.kills.length} kills`);
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
        onTaken: (count) => (taken += count),
        signal,
      }),
      // A process that cannot be restarted ends the run; the last kill does not.
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
  bar.show(taken, ended(), 'auditing');
  const audit = await runAudit({ ...options.env, ...stack.env }, acknowledgedFile, signal);
  over.abort();
  await watching;

  const judged = judge(names, acknowledged, atEnd);
  const unexpected = [...http.troubles].filter(([trouble]) => trouble.startsWith('answered 5'));
  breaches.push(
    ...breachesOf(judged),
    ...unexpected.map(([trouble, count]) => `the API ${trouble}, ${count} times`),
    ...(audit.code === 0 ? [] : ['the audit found breaches']),
  );
  return {
    judged,
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
    // What it cannot see now, it sees later.
    const files = await listFiles(http).catch(() => undefined);
    if (files) show(files);
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** @throws Error in words for people when it takes longer than it may */
async function untilAllEnded(http: Http, killed: Promise<void>, signal: AbortSignal): Promise<ListedFile[]> {
  await killed;
  const deadline = Date.now() + ENDED_WITHIN_MS;
  for (;;) {
    const [files, sessions] = [await listFiles(http), await countOpenSessions(http)];
    const open = files.filter((file) => !hasEnded(file)).length;
    if (open === 0 && sessions === 0) return files;
    if (Date.now() > deadline) {
      throw new Error(
        `${open} files and ${sessions} sessions have not ended ${ENDED_WITHIN_MS / 60_000} minutes after the end`,
      );
    }
    await delay(LOOK_MS, undefined, { signal });
  }
}
