import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import type { GoogleSheets } from '../../adapters/google-sheets/google-sheets.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { csvLine } from '../../adapters/table-writer/csv.ts';
import { writeDocx } from '../../adapters/table-writer/docx.ts';
import { writeXlsx } from '../../adapters/table-writer/xlsx.ts';
import type { Cell } from '../../domain/exports/cell.ts';
import {
  EXPORT_CONTENT_TYPES,
  type DataExportFormat,
  type FileExportFormat,
} from '../../domain/exports/export.ts';
import type { FilesSpec, HistorySpec } from '../../domain/exports/spec.ts';
import { exportKey } from '../../domain/object-keys.ts';
import { CSV } from './csv-sql.ts';
import { beginRun, changeRun, completeRun, ExportSuperseded, type ExportRun } from './export-run.ts';
import { openFileRows, type FileRows } from './files/file-rows.ts';
import type { ExportTarget } from './find-export.ts';
import { historySource } from './history/history-source.ts';
import type { ExportControls, TextSource } from './text-source.ts';
import { writeParts } from './write-parts.ts';
import { writeSpreadsheet } from './write-spreadsheet.ts';
import { writeWhole } from './write-whole.ts';

export interface WriteDeps {
  em: EntityManager;
  objects: ObjectStore;
  cipher: SecretCipher;
  /** Undefined where no client of Google is configured. */
  sheets: GoogleSheets | undefined;
}

/** How often the progress of a file that is written as a whole is recorded. */
const PROGRESS_MS = 1000;

/**
 * Writes an export, from its beginning or from where an earlier attempt got to. Idempotent.
 *
 * @returns how many records
 * @throws ExportSuperseded, PartsChanged, GoogleError, AppError NOT_FOUND for its folder
 */
export async function writeExport(
  deps: WriteDeps,
  target: ExportTarget,
  controls: ExportControls,
): Promise<number> {
  const run = await beginRun(deps.em, target);
  const { row } = run;
  if (row.status === 'completed') return row.recordCount;
  const records =
    row.kind === 'files'
      ? await writeFiles(deps, run, row.spec as FilesSpec, controls)
      : await writeHistory(deps, run, row.spec as HistorySpec, controls);
  try {
    await completeRun(run, records, { file: row.format !== 'google_sheets' });
  } catch (error) {
    // It was cancelled after its last record, and cleaned before the file was there.
    if (error instanceof ExportSuperseded && error.ended)
      await deps.objects.remove([exportKey(row.tenantId, row.id)]);
    throw error;
  }
  return records;
}

function writeHistory(
  { em, objects }: WriteDeps,
  run: ExportRun,
  spec: HistorySpec,
  controls: ExportControls,
): Promise<number> {
  const source = historySource(em, run.row, spec, run.row.format as DataExportFormat);
  return writeParts(objects, run, source, controls);
}

async function writeFiles(
  deps: WriteDeps,
  run: ExportRun,
  spec: FilesSpec,
  controls: ExportControls,
): Promise<number> {
  const { objects } = deps;
  const format = run.row.format as FileExportFormat;
  const rows = await openFileRows(deps.em, run.row, spec);
  if (format === 'google_sheets') return writeSpreadsheet(deps, run, spec, rows, controls);
  const contentType = EXPORT_CONTENT_TYPES[format];
  if (format === 'csv') return writeParts(objects, run, csvSource(rows), controls);

  const { signal } = controls;
  const read = counted(run, rows, controls);
  const file =
    format === 'xlsx'
      ? writeXlsx(spec.sheetName, rows.header, read.rows)
      : docxOf(spec.sheetName, rows.header, read.rows);
  await writeWhole(objects, run, file, { contentType, signal });
  return read.count();
}

function csvSource(rows: FileRows): TextSource {
  return {
    contentType: EXPORT_CONTENT_TYPES.csv,
    head: csvLine(rows.header),
    between: CSV.between,
    tail: '',
    count: () => rows.count(),
    pages: (after) => rows.lines(after),
  };
}

/** The rows one by one, counted, with the progress recorded now and then. */
function counted(
  run: ExportRun,
  from: FileRows,
  { signal, onProgress }: ExportControls,
): { rows: AsyncIterable<Cell[]>; count: () => number } {
  let records = 0;
  async function* each(): AsyncIterable<Cell[]> {
    const expected = await from.count();
    let noted = 0;
    for await (const { rows } of from.rows(undefined)) {
      signal.throwIfAborted();
      yield* rows;
      records += rows.length;
      onProgress(records, expected);
      if (Date.now() - noted < PROGRESS_MS) continue;
      noted = Date.now();
      await changeRun(
        run,
        (row) => void Object.assign(row, { recordCount: records, expectedCount: expected }),
      );
    }
  }
  return { rows: each(), count: () => records };
}

async function* docxOf(
  title: string,
  header: readonly string[],
  rows: AsyncIterable<Cell[]>,
): AsyncIterable<Uint8Array> {
  const all: Cell[][] = [];
  for await (const row of rows) all.push(row);
  yield await writeDocx(title, header, all);
}
