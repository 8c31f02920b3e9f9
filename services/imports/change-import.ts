import type { EntityManager } from '@mikro-orm/postgresql';
import { FileImport } from '../../db/entities/imports/import.ts';
import { AppError } from '../../domain/app-error.ts';
import type { FailureReason } from '../../domain/components.ts';
import { isImportOpen } from '../../domain/imports.ts';
import { MAX_OPEN_IMPORTS } from '../../domain/limits.ts';
import { acknowledge, markDue, NOT_DUE } from '../shared/due.ts';
import { addToTotals, countItems, hasBacklog } from './count-items.ts';
import {
  findImport,
  hasOpenImports,
  isCurrent,
  lockImport,
  type ImportRun,
  type ImportTarget,
} from './find-import.ts';

/** Failed items that one statement makes pending again. */
const RETRIED_AT_ONCE = 5_000;
const HOUR_MS = 3_600_000;
/** A pass that may not begin is due again, after those of other accounts. */
const POSTPONED_MS = 10 * 60_000;
/** Reasons for which no later pass could do better. */
const LASTING = new Set(['CONNECTION_GONE', 'SOURCE_TOO_LARGE']);

/**
 * Pauses an import; what is being fetched is fetched again later. Idempotent. The caller then reconciles it.
 *
 * @throws AppError IMPORT_ENDED, NOT_FOUND
 */
export function pauseImport(em: EntityManager, target: ImportTarget): Promise<FileImport> {
  return change(em, target, (row) => {
    if (row.status === 'paused') return;
    if (!row.nextPassAt) rejectEnded(row);
    Object.assign(row, { status: 'paused', reason: null, completedAt: null, nextPassAt: null });
  });
}

/**
 * Cancels an import for good; what was imported stays. Idempotent. The caller then reconciles it.
 *
 * @throws AppError IMPORT_ENDED, NOT_FOUND
 */
export function cancelImport(em: EntityManager, target: ImportTarget): Promise<FileImport> {
  return change(em, target, (row) => {
    if (row.status === 'cancelled') return;
    if (row.status !== 'paused' && !row.nextPassAt) rejectEnded(row);
    Object.assign(row, { status: 'cancelled', reason: null, completedAt: new Date(), nextPassAt: null });
  });
}

/**
 * Begins the next run of an import that is paused, waits or has failed. Idempotent. The caller then reconciles it.
 *
 * @throws AppError IMPORT_ENDED, NOT_FOUND
 */
export function resumeImport(em: EntityManager, target: ImportTarget): Promise<FileImport> {
  return change(em, target, (row) => {
    if (row.status === 'pending' || row.status === 'running') return;
    if (row.status === 'completed' && row.nextPassAt) return beginPass(row);
    if (row.status === 'completed' || row.status === 'cancelled') rejectEnded(row);
    return beginRun(row);
  });
}

/**
 * Begins a run that imports the failed items again. The caller then reconciles it.
 *
 * @throws AppError NOTHING_TO_RETRY, WORK_IN_PROGRESS, IMPORT_ENDED, NOT_FOUND
 */
export function retryImport(em: EntityManager, target: ImportTarget): Promise<FileImport> {
  return change(em, target, async (row, tx) => {
    if (row.status === 'cancelled') rejectEnded(row);
    if (isImportOpen(row.status))
      throw new AppError('WORK_IN_PROGRESS', 'the import has not ended; pause it');
    if ((await countItems(tx, row)).failed === 0)
      throw new AppError('NOTHING_TO_RETRY', 'no file of the import has failed');
    row.retryFailed = true;
    beginRun(row);
  });
}

async function change(
  em: EntityManager,
  target: ImportTarget,
  make: (row: FileImport, tx: EntityManager) => void | Promise<void>,
): Promise<FileImport> {
  return em.transactional(async (tx) => {
    const row = await lockImport(tx, target);
    const before = row.status;
    await make(row, tx);
    if (row.status === before) return row;
    row.updatedAt = new Date();
    markDue(row);
    await tx.flush();
    return row;
  });
}

/** @throws AppError */
function rejectEnded({ status }: FileImport): void {
  if (isImportOpen(status)) return;
  throw new AppError('IMPORT_ENDED', `the import is ${status}`);
}

function beginRun(row: FileImport): void {
  row.generation += 1;
  Object.assign(row, { status: 'pending', reason: null, completedAt: null, idlePages: 0, nextPassAt: null });
}

/** Lists the source anew. */
function beginPass(row: FileImport): void {
  row.pass += 1;
  Object.assign(row, { cursor: null, listed: false, seen: false, partial: false });
  beginRun(row);
}

/**
 * Begins the next pass of an import that repeats, if it is due, or later, while the account has as many open imports as it
 * may. The caller then reconciles it.
 */
export async function beginDuePass(em: EntityManager, target: ImportTarget): Promise<FileImport> {
  return change(em, target, async (row, tx) => {
    if (!isPassDue(row)) return;
    if (!(await hasOpenImports(tx, target.tenantId, MAX_OPEN_IMPORTS))) beginPass(row);
    else row.nextPassAt = new Date(Date.now() + POSTPONED_MS);
  });
}

export function isPassDue({ nextPassAt }: FileImport): boolean {
  return nextPassAt ? nextPassAt.getTime() <= Date.now() : false;
}

/** An ended import, with the next pass if it repeats. */
function ended(row: FileImport, status: 'completed' | 'failed', reason: FailureReason | null): void {
  const now = new Date();
  const { repeatHours } = row;
  const repeats = repeatHours && !LASTING.has(reason?.code ?? '');
  const nextPassAt = repeats ? new Date(now.getTime() + repeatHours * HOUR_MS) : null;
  Object.assign(row, { status, reason, completedAt: now, updatedAt: now, nextPassAt, ...NOT_DUE });
}

/** Reads the import for a round of its workflow, and makes failed items pending where that was asked for. */
export async function beginRound(em: EntityManager, run: ImportRun): Promise<FileImport> {
  const row = await findImport(em, run);
  await acknowledge(em, FileImport, row);
  if (!isCurrent(row, run)) return row;
  if (row.retryFailed) await reopenFailed(em, run);
  if (row.status === 'pending') {
    const begun = { status: 'running', startedAt: row.startedAt ?? new Date() } as const;
    await em.nativeUpdate(FileImport, { id: row.id, generation: run.generation, status: 'pending' }, begun);
  }
  return findImport(em, run);
}

async function reopenFailed(em: EntityManager, run: ImportRun): Promise<void> {
  await addToTotals(em, run.importId);
  for (let more = true; more;) {
    more = await em.transactional(async (tx) => {
      const row = await lockImport(tx, run);
      if (!isCurrent(row, run)) return false;
      const reopened = await tx.execute<{ code: string | null }[]>(
        `with failed as (
           select id, reason->>'code' as code from import_items
           where import_id = ? and status = 'failed' and pass = ? limit ? for update)
         update import_items set status = 'pending', reason = null, counted = false, ended_at = null
         from failed where import_items.id = failed.id returning failed.code`,
        [row.id, row.pass, RETRIED_AT_ONCE],
      );
      row.failed -= reopened.length;
      const reasons = { ...row.reasons };
      for (const { code } of reopened) if (code !== null) reasons[code] = (reasons[code] ?? 1) - 1;
      row.reasons = Object.fromEntries(Object.entries(reasons).filter(([, items]) => items > 0));
      row.retryFailed = reopened.length === RETRIED_AT_ONCE;
      return row.retryFailed;
    });
  }
}

/** Ends the wait of a run that has got something done. */
export async function goOn(em: EntityManager, run: ImportRun): Promise<void> {
  const waiting = { id: run.importId, generation: run.generation, status: 'waiting' } as const;
  await em.nativeUpdate(FileImport, waiting, { status: 'running', reason: null, updatedAt: new Date() });
}

/** Records why a run waits. */
export async function waitForSource(em: EntityManager, run: ImportRun, reason: FailureReason): Promise<void> {
  await em.transactional(async (tx) => {
    const row = await lockImport(tx, run);
    if (isCurrent(row, run)) Object.assign(row, { status: 'waiting', reason, updatedAt: new Date() });
  });
}

/**
 * Ends an import that cannot go on; it can be resumed. One that has ended, or begun another run, is unchanged.
 *
 * @returns whether it was changed
 */
export async function failImport(em: EntityManager, run: ImportRun, reason: FailureReason): Promise<boolean> {
  await addToTotals(em, run.importId);
  return em.transactional(async (tx) => {
    const row = await lockImport(tx, run);
    if (!isCurrent(row, run)) return false;
    ended(row, 'failed', reason);
    return true;
  });
}

/** Ends an import of which everything is listed and nothing waits. Idempotent. */
export async function completeImport(em: EntityManager, run: ImportRun): Promise<void> {
  await addToTotals(em, run.importId);
  await em.transactional(async (tx) => {
    const row = await lockImport(tx, run);
    if (!isCurrent(row, run) || !row.listed || (await hasBacklog(tx, row.id, 0))) return;
    ended(row, 'completed', null);
  });
}
