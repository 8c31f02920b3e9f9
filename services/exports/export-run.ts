import type { EntityManager } from '@mikro-orm/postgresql';
import type { DataExport } from '../../db/entities/exports/export.ts';
import { ExportPart } from '../../db/entities/exports/export-part.ts';
import { isExportOpen } from '../../domain/exports/export.ts';
import { EXPORT_HOURS } from '../../domain/limits.ts';
import { lockExport, type ExportTarget } from './find-export.ts';
import { NOT_DUE } from '../shared/due.ts';

const HOUR_MS = 3_600_000;

/** The export was cancelled or failed, or a later attempt writes it: nothing is left to do. */
export class ExportSuperseded extends Error {
  override readonly name = 'ExportSuperseded';
  /** Whether the export has ended, so that no attempt writes it. */
  readonly ended: boolean;

  constructor(ended: boolean) {
    super(ended ? 'the export has ended' : 'a later attempt writes the export');
    this.ended = ended;
  }
}

/** One attempt to write an export. Among concurrent attempts, only the latest can record anything. */
export interface ExportRun {
  em: EntityManager;
  target: ExportTarget;
  fence: number;
  row: DataExport;
}

/**
 * Begins an attempt.
 *
 * @returns only the row if it is already completed
 * @throws ExportSuperseded
 */
export async function beginRun(em: EntityManager, target: ExportTarget): Promise<ExportRun> {
  const row = await em.transactional(async (tx) => {
    const locked = await lockExport(tx, target);
    if (locked.status === 'completed') return locked;
    if (!isExportOpen(locked.status)) throw new ExportSuperseded(true);
    locked.fence += 1;
    locked.status = 'processing';
    Object.assign(locked, NOT_DUE);
    // The part of an earlier attempt that can be kept is not known yet.
    locked.recordCount = 0;
    locked.startedAt ??= new Date();
    await tx.flush();
    return locked;
  });
  return { em, target, fence: row.fence, row };
}

/** Changes the row of a run, and related rows, if the run is the latest one. @throws ExportSuperseded */
export async function changeRun(
  { em, target, fence }: ExportRun,
  change: (row: DataExport, tx: EntityManager) => void | Promise<void>,
): Promise<void> {
  await em.fork().transactional(async (tx) => {
    const row = await lockExport(tx, target);
    if (!isExportOpen(row.status)) throw new ExportSuperseded(true);
    if (row.fence !== fence) throw new ExportSuperseded(false);
    await change(row, tx);
    await tx.flush();
  });
}

/** Records a stored part. */
export function recordPart(
  run: ExportRun,
  part: Pick<ExportPart, 'number' | 'etag' | 'cursor' | 'records'>,
): Promise<void> {
  return changeRun(run, async (row, tx) => {
    row.recordCount = part.records;
    await tx.insert(ExportPart, { exportId: row.id, ...part });
  });
}

/** Removes the records of parts from a number on, when they differ from those in the store. */
export async function forgetParts({ em, row }: ExportRun, from: number): Promise<void> {
  await em.fork().nativeDelete(ExportPart, { exportId: row.id, number: { $gte: from } });
}

/** The recorded parts, in order. */
export function readParts({ em, row }: ExportRun): Promise<ExportPart[]> {
  return em.fork().find(ExportPart, { exportId: row.id }, { orderBy: { number: 'asc' } });
}

/**
 * Records the end of an export: its file is kept for a day.
 *
 * @param file false for a spreadsheet at a provider, which the service does not remove
 */
export function completeRun(run: ExportRun, records: number, { file }: { file: boolean }): Promise<void> {
  return changeRun(run, (row) => {
    const completedAt = new Date();
    const cleanAt = file ? new Date(completedAt.getTime() + EXPORT_HOURS * HOUR_MS) : null;
    Object.assign(row, { status: 'completed', recordCount: records, completedAt, cleanAt });
  });
}
