import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretCipher } from '../../adapters/encryption/secret-cipher.ts';
import type { GoogleSheets } from '../../adapters/google-sheets/google-sheets.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { csvLine } from '../../adapters/table-writer/csv.ts';
import { writeDocx } from '../../adapters/table-writer/docx.ts';
import { writeXlsx } from '../../adapters/table-writer/xlsx.ts';
import { AppError } from '../../domain/app-error.ts';
import type { Cell } from '../../domain/exports/cell.ts';
import {
  EXPORT_CONTENT_TYPES,
  MAX_DOCX_TEXT,
  type DataExportFormat,
  type FileExportFormat,
} from '../../domain/exports/export.ts';
import type { FilesSpec, HistorySpec } from '../../domain/exports/spec.ts';
import { exportKey } from '../../domain/object-keys.ts';
import { CSV } from './csv-sql.ts';
import { beginRun, changeRun, completeRun, ExportSuperseded, type ExportRun } from './export-run.ts';
import { openFileRows, type FileRows, type RowPage } from './files/file-rows.ts';
import type { ExportTarget } from './find-export.ts';
import { historySource } from './history/history-source.ts';
import type { ExportControls, TextPage, TextSource } from './text-source.ts';
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
 * @throws ExportSuperseded, PartsChanged, RecordTooSlow, GoogleError, AppError NOT_FOUND for its folder, EXPORT_TOO_LARGE
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

  let records = 0;
  const onRecords = (more: number) => (records += more);
  const file =
    format === 'xlsx'
      ? writeXlsx(spec.sheetName, rows.header, xmlOf(counted(rows.texts('sheet', undefined))))
      : docxOf(spec.sheetName, rows.header, counted(rows.rows(undefined)));
  await writeWhole(objects, run, file, { contentType, signal: controls.signal });
  return records;

  function counted<P extends { records: number }>(pages: AsyncIterable<P>): AsyncIterable<P> {
    return noted(run, rows, pages, controls, onRecords);
  }
}

function csvSource(rows: FileRows): TextSource {
  return {
    contentType: EXPORT_CONTENT_TYPES.csv,
    head: csvLine(rows.header),
    between: CSV.between,
    tail: '',
    count: () => rows.count(),
    pages: (after) => rows.texts('csv', after),
  };
}

/** The same pages, with the progress recorded now and then. */
async function* noted<P extends { records: number }>(
  run: ExportRun,
  from: FileRows,
  pages: AsyncIterable<P>,
  { signal, onProgress }: ExportControls,
  onRecords: (more: number) => number,
): AsyncIterable<P> {
  const expectedCount = await from.count();
  let notedAt = 0;
  for await (const page of pages) {
    signal.throwIfAborted();
    yield page;
    const recordCount = onRecords(page.records);
    onProgress(recordCount, expectedCount);
    if (Date.now() - notedAt < PROGRESS_MS) continue;
    notedAt = Date.now();
    await changeRun(run, (row) => void Object.assign(row, { recordCount, expectedCount }));
  }
}

async function* xmlOf(pages: AsyncIterable<TextPage>): AsyncIterable<Uint8Array> {
  for await (const { text } of pages) yield text;
}

async function* docxOf(
  title: string,
  header: readonly string[],
  pages: AsyncIterable<RowPage>,
): AsyncIterable<Uint8Array> {
  const all: Cell[][] = [];
  let [lines, characters] = [0, 0];
  for await (const { rows } of pages) {
    for (const cell of rows.flat()) {
      if (typeof cell !== 'string') continue;
      lines += cell.split('\n').length;
      characters += cell.length;
    }
    if (lines > MAX_DOCX_TEXT.lines || characters > MAX_DOCX_TEXT.characters)
      throw new AppError('EXPORT_TOO_LARGE', 'more text than a table of docx holds; use csv or xlsx');
    all.push(...rows);
  }
  yield await writeDocx(title, header, all);
}
