import type { EntityManager } from '@mikro-orm/postgresql';
import type { DataExport } from '../../db/entities/exports/export.ts';
import { ExportPart } from '../../db/entities/exports/export-part.ts';
import { isExportOpen } from '../../domain/exports/export.ts';
import { EXPORT_HOURS } from '../../domain/limits.ts';
import { lockExport, type ExportTarget } from './find-export.ts';

const HOUR_MS = 3_600_000;

/** The export was cancelled or failed, or a later attempt writes it: this one has nothing more to do. */
export class ExportSuperseded extends Error {
  override readonly name = 'ExportSuperseded';
  /** No attempt writes it any more. */
  readonly ended: boolean;

  constructor(ended: boolean) {
    super(ended ? 'the export has ended' : 'a later attempt writes the export');
    this.ended = ended;
  }
}

/** One attempt to write an export. Of several at a time, the latest records what it writes, and the others nothing. */
export interface ExportRun {
  em: EntityManager;
  target: ExportTarget;
  fence: number;
  row: DataExport;
}

/**
 * Begins an attempt.
 *
 * @returns the row alone where it is completed already
 * @throws ExportSuperseded
 */
export async function beginRun(em: EntityManager, target: ExportTarget): Promise<ExportRun> {
  const row = await em.transactional(async (tx) => {
    const locked = await lockExport(tx, target);
    if (locked.status === 'completed') return locked;
    if (!isExportOpen(locked.status)) throw new ExportSuperseded(true);
    locked.fence += 1;
    locked.status = 'processing';
    locked.startedAt ??= new Date();
    await tx.flush();
    return locked;
  });
  return { em, target, fence: row.fence, row };
}

/** Changes the row of a run, with other rows of it, while the run is the latest one. @throws ExportSuperseded */
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

/** Records a part that is written. */
export function recordPart(
  run: ExportRun,
  part: Pick<ExportPart, 'number' | 'etag' | 'cursor' | 'records'>,
): Promise<void> {
  return changeRun(run, async (row, tx) => {
    row.recordCount = part.records;
    await tx.insert(ExportPart, { exportId: row.id, ...part });
  });
}

/** Forgets the parts from this number on, which the store does not have as they were recorded. */
export async function forgetParts({ em, row }: ExportRun, from: number): Promise<void> {
  await em.fork().nativeDelete(ExportPart, { exportId: row.id, number: { $gte: from } });
}

/** The parts that are written, in order. */
export function readParts({ em, row }: ExportRun): Promise<ExportPart[]> {
  return em.fork().find(ExportPart, { exportId: row.id }, { orderBy: { number: 'asc' } });
}

/**
 * Records the end of an export: its file is kept for a day.
 *
 * @param file false for a spreadsheet at a provider, which is not ours to remove
 */
export function completeRun(run: ExportRun, records: number, { file }: { file: boolean }): Promise<void> {
  return changeRun(run, (row) => {
    const completedAt = new Date();
    const cleanAt = file ? new Date(completedAt.getTime() + EXPORT_HOURS * HOUR_MS) : null;
    Object.assign(row, { status: 'completed', recordCount: records, completedAt, cleanAt });
  });
}
