import type { FilesSpec, HistorySpec } from '../../domain/exports/spec.ts';
import { exportKey } from '../../domain/object-keys.ts';
import { beginRun, completeRun, ExportSuperseded } from './export-run.ts';
import { openFilesTable } from './files/files-table.ts';
import type { ExportTarget } from './find-export.ts';
import type { ExportControls, WriteDeps } from './formats/format.ts';
import { formatOf } from './formats/index.ts';
import { openHistoryTable } from './history/history-table.ts';

/**
 * Writes an export, from its beginning or continuing an earlier attempt. Idempotent.
 *
 * @returns how many records
 * @throws ExportSuperseded, PartsChanged, RecordTooSlow, GoogleError, AppError NOT_FOUND for its folder,
 *   EXPORT_TOO_LARGE
 */
export async function writeExport(
  deps: WriteDeps,
  target: ExportTarget,
  controls: ExportControls,
): Promise<number> {
  const run = await beginRun(deps.em, target);
  const { row } = run;
  if (row.status === 'completed') return row.recordCount;
  const format = formatOf(row.format);
  const table =
    row.kind === 'files'
      ? await openFilesTable(deps.em, row, row.spec as FilesSpec)
      : openHistoryTable(deps.em, row, row.spec as HistorySpec);
  const records = await format.write({ ...deps, run, table, controls });
  try {
    await completeRun(run, records, { file: format.file !== undefined });
  } catch (error) {
    // Cancelled after its last record, and cleaned before the file existed.
    if (error instanceof ExportSuperseded && error.ended)
      await deps.objects.remove([exportKey(row.tenantId, row.id)]);
    throw error;
  }
  return records;
}
