import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { databaseConfig } from '../../db/config.ts';
import { createOrm } from '../../db/create-orm.ts';
import { ApiKey } from '../../db/entities/accounts/api-key.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { generateApiKey } from '../../services/accounts/api-key.ts';
import type { Bar } from '../shared/bar.ts';
import { createDice } from '../shared/dice.ts';
import { createHttp } from '../shared/http.ts';
import { forEachConcurrently, outcomeOf, process, upload, type Ended } from './deliver.ts';
import { hostileFiles } from './hostile-files.ts';
import { ORDINARY_MEDIA, ordinaryFiles, VISITOR } from './ordinary-files.ts';
import { makeFilm } from './videos.ts';

/** Files that the ordinary tenant has in flight: an interactive user, not a migration. */
const LANES = 4;
const POLL_MS = 1_000;
/** Interval of the images of a third tenant: longer than any worker remembers who had work. */
const VISIT_EVERY_MS = 5_000;
/** Warm-up files of each medium, not counted: they start readers and fill caches. */
const WARM_UP = 3;

export interface NoisyOptions {
  stack: Stack;
  env: NodeJS.ProcessEnv;
  /** Hostile files. */
  hostile: number;
  /** Their kinds; all if empty. */
  kinds: readonly string[];
  /** Length in seconds of a film in 8K that is sent with them; 0 for none. */
  film: number;
  /** Ordinary files of each medium. */
  ordinary: number;
  seed: number;
  bar: Bar;
  signal: AbortSignal;
  /** Maximum wait for hostile files after the last ordinary one has ended. */
  patienceMs: number;
}

export interface NoisyResult {
  alone: Ended[];
  together: Ended[];
  /** Hostile files that have ended, with the time since they were all accepted. */
  hostile: Ended[];
  /** Number of hostile files that had not ended when the last ordinary file ended; the film may be one. */
  waitingAtEnd: number;
  /** Kinds of the hostile files that did not end within `patienceMs`. */
  unfinished: string[];
}

/** Measures how long the files of a tenant take, alone and while another tenant sends hostile files. */
export async function runNoisy(options: NoisyOptions): Promise<NoisyResult> {
  const { stack, env, hostile: count, kinds, film, ordinary, seed, bar, signal, patienceMs } = options;
  const { api_url: apiUrl, api_key: apiKey } = stack.runInfo;
  const quiet = createHttp({ apiUrl, apiKey, signal });
  const addHttp = async (name: string) =>
    createHttp({ apiUrl, apiKey: await addTenant(name, { ...env, ...stack.env }), signal });
  const [noisy, visitor] = [await addHttp('noisy'), await addHttp('visitor')];
  const files = await hostileFiles(count, seed, kinds.length > 0 ? kinds : undefined);

  let ended = 0;
  const measure = async (round: number): Promise<Ended[]> => {
    const results: Ended[] = [];
    const roundSeed = seed * 1_000 + round;
    const sets = await Promise.all(ORDINARY_MEDIA.map((each) => ordinaryFiles(each, ordinary, roundSeed)));
    const closing = new AbortController();
    const visits = visit(roundSeed + 500, closing.signal);
    await forEachConcurrently(createDice(roundSeed).shuffle(sets.flat()), LANES, async (file) => {
      results.push(await process(quiet, file, signal));
      bar.show(accepted(), (ended += 1), round === 1 ? 'alone' : 'together');
    });
    closing.abort();
    return [...results, ...(await visits)];
  };
  const waiting = new Map<string, string>();
  const accepted = () => ended + waiting.size;

  await warmUp(Math.min(ordinary, WARM_UP));
  const alone = await measure(1);
  await forEachConcurrently(files, LANES, async (file) => {
    waiting.set(await upload(noisy, file), file.kind);
    bar.show(accepted(), ended, 'hostile files sent');
  });
  const filmId =
    film > 0
      ? await upload(noisy, { kind: 'film', name: 'film.mp4', bytes: Buffer.from(await makeFilm(film)) })
      : undefined;
  if (filmId !== undefined) waiting.set(filmId, 'film');
  const sentAt = performance.now();
  const hostile: Ended[] = [];
  const watching = new AbortController();
  const watcher = watch();
  const together = await measure(2);
  const waitingAtEnd = waiting.size;
  // It takes as long as it is long.
  if (filmId !== undefined) waiting.delete(filmId);
  watching.abort();
  await watcher;
  return { alone, together, hostile, waitingAtEnd, unfinished: [...waiting.values()] };

  async function warmUp(each: number): Promise<void> {
    const sets = await Promise.all(ORDINARY_MEDIA.map((medium) => ordinaryFiles(medium, each, seed + 7)));
    await forEachConcurrently(sets.flat(), LANES, async (file) => void (await process(quiet, file, signal)));
  }

  /** One image after the other, at an interval. */
  async function visit(visitSeed: number, closed: AbortSignal): Promise<Ended[]> {
    const results: Ended[] = [];
    for (let index = 0; !closed.aborted; index += 1) {
      const [image] = await ordinaryFiles('jpg', 1, visitSeed * 1_000 + index);
      if (image) results.push({ ...(await process(visitor, image, signal)), kind: VISITOR });
      await delay(VISIT_EVERY_MS, undefined, { signal: AbortSignal.any([signal, closed]) }).catch(() =>
        signal.throwIfAborted(),
      );
    }
    return results;
  }

  /** Polls until all hostile files have ended, or until `patienceMs` after the last ordinary one. */
  async function watch(): Promise<void> {
    let until = Infinity;
    while (waiting.size > 0 && performance.now() < until) {
      if (watching.signal.aborted && until === Infinity) until = performance.now() + patienceMs;
      for (const [fileId, kind] of waiting) {
        const outcome = await outcomeOf(noisy, fileId);
        if (outcome === undefined) continue;
        waiting.delete(fileId);
        hostile.push({ kind, ms: performance.now() - sentAt, outcome });
        ended += 1;
      }
      if (watching.signal.aborted) bar.show(accepted(), ended, 'the rest of the hostile files');
      await delay(POLL_MS, undefined, { signal });
    }
  }
}

/** Creates a tenant with an unlimited plan. Returns its API key. */
async function addTenant(name: string, env: NodeJS.ProcessEnv): Promise<string> {
  const orm = createOrm(readConfig([databaseConfig], env));
  try {
    const em = orm.em.fork();
    const tenantId = randomUUID();
    const { id, key, hash } = generateApiKey();
    const createdAt = new Date();
    await em.insert(Tenant, {
      id: tenantId,
      name,
      tier: 'enterprise',
      maxRequestsPerMinute: -1,
      createdAt,
    });
    await em.insert(ApiKey, { id, tenantId, name, keyHash: hash, role: 'owner', createdAt });
    return key;
  } finally {
    await orm.close(true);
  }
}
