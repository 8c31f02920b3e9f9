import type { EntityManager } from '@mikro-orm/postgresql';
import { setTimeout as delay } from 'node:timers/promises';
import type { FileImport } from '../../db/entities/imports/import.ts';
import { ImportItem } from '../../db/entities/imports/import-item.ts';
import type { FailureReason } from '../../domain/components.ts';
import type { ImportRound } from '../../temporal/contract/import-files.ts';
import { addToTotals, hasBacklog } from './count-items.ts';
import { beginRound, failImport, goOn, waitForSource } from './change-import.ts';
import { findImport, isCurrent, type ImportRun } from './find-import.ts';
import { importItem, type ItemDeps } from './import-item.ts';
import { openingReason, openSource, type SourceDeps } from './open-source.ts';
import type { OpenSource } from './source.ts';
import { BEFORE_ALL } from '../shared/sql.ts';

/** Length of a round, after which another import may have the slot of the worker. */
const ROUND_MS = 5 * 60_000;
const PAGE = 100;
/** Unprocessed files of an account with which its imports wait. */
const MOST_UNPROCESSED = 500;
const CHECK_EVERY_MS = 1000;

/**
 * Imports items that wait, several at a time, until none does or some minutes have passed. Idempotent: an attempt that is
 * repeated, or runs twice at once, creates each file once.
 *
 * @throws outages of our own servers, failures of the account's bucket that the files are stored in, the reason of the
 *   signal
 */
export async function importItems(
  deps: Omit<SourceDeps, 'em'> & ItemDeps,
  run: ImportRun,
  { signal, onStep }: { signal: AbortSignal; onStep: (step: string) => void },
): Promise<ImportRound> {
  const { em } = deps;
  const row = await beginRound(em.fork(), run);
  if (!isCurrent(row, run)) return 'ended';
  let source: OpenSource;
  try {
    source = await openSource({ ...deps, em: em.fork() }, row);
  } catch (error) {
    const reason = openingReason(error);
    if (!reason) throw error;
    await failImport(em.fork(), run, reason);
    return 'ended';
  }

  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  /** Why no further items are begun. */
  let shortage: FailureReason | undefined;
  let done = 0;
  const items = waitingItems(em, run, row, either);
  const retries = { inVain: false };

  async function work(): Promise<void> {
    for (;;) {
      const next = shortage ? undefined : await items.next();
      if (!next || next.done || shortage) return;
      const missing = await importItem(deps, { row, source, retries }, next.value, either);
      if (missing) {
        shortage = missing;
        return;
      }
      done += 1;
      if (done === 1) await goOn(em.fork(), run);
      onStep(`${done} in this round`);
    }
  }

  const workers = Array.from({ length: row.concurrency }, () =>
    work().catch((error: unknown) => {
      failed.abort(error);
      throw error;
    }),
  );
  const ends = await Promise.allSettled(workers);
  await source.close?.();
  await addToTotals(em.fork(), run.importId);
  signal.throwIfAborted();
  const [first] = ends.filter((end) => end.status === 'rejected');
  if (first && failed.signal.aborted) throw failed.signal.reason;
  if (shortage) {
    await waitForSource(em.fork(), run, shortage);
    return 'waiting';
  }
  if (!isCurrent(await findImport(em.fork(), run), run)) return 'ended';
  return (await hasBacklog(em.fork(), run.importId, 0)) ? 'more' : 'listed';
}

/** Items that wait, as fast as they may begin, each once, until the round is over or the import is no longer that of the run. */
async function* waitingItems(
  em: EntityManager,
  run: ImportRun,
  { maxPerMinute }: FileImport,
  signal: AbortSignal,
): AsyncGenerator<ImportItem, undefined> {
  const until = Date.now() + ROUND_MS;
  for (let after = BEFORE_ALL; Date.now() < until;) {
    await roomForFiles(em, run.tenantId, signal);
    if (!isCurrent(await findImport(em.fork(), run), run)) return undefined;
    const waiting = { importId: run.importId, status: 'pending', id: { $gt: after } } as const;
    const page = await em.fork().find(ImportItem, waiting, { orderBy: { id: 'asc' }, limit: PAGE });
    for (const item of page) {
      signal.throwIfAborted();
      if (Date.now() > until) return undefined;
      yield item;
      if (maxPerMinute) await delay(60_000 / maxPerMinute, undefined, { signal });
    }
    if (page.length < PAGE) return undefined;
    after = page.at(-1)?.id ?? after;
    await addToTotals(em.fork(), run.importId);
  }
  return undefined;
}

/** Waits while many files of the account are unprocessed. */
async function roomForFiles(em: EntityManager, tenantId: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const [row] = await em.fork().execute<[{ unprocessed: number }]>(
      `select count(*)::int as unprocessed from (
         select 1 from files where tenant_id = ? and primary_status in ('pending', 'processing')
           and deleted_at is null limit ?) open`,
      [tenantId, MOST_UNPROCESSED],
    );
    if (row.unprocessed < MOST_UNPROCESSED) return;
    await delay(CHECK_EVERY_MS, undefined, { signal });
  }
}
