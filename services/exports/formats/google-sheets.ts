import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretCipher } from '../../../adapters/encryption/secret-cipher.ts';
import { GoogleError } from '../../../adapters/google-sheets/google-error.ts';
import type { GoogleSheets, SheetCell } from '../../../adapters/google-sheets/google-sheets.ts';
import { Connection } from '../../../db/entities/connections/connection.ts';
import type { ExportCursor } from '../../../domain/exports/export.ts';
import { secretOf } from '../../connections/sealed-secret.ts';
import { changeRun, readParts, recordPart, type ExportRun } from '../export-run.ts';
import { SMALL_PAGE_BYTES, VALUES, valuesOf, type Table, type TextPage } from '../table.ts';
import type { ExportJob, Format } from './format.ts';

/** A Google spreadsheet, limited to ten million cells: 50,000 rows of 100 columns fit. */
export const googleSheets: Format = {
  maxRecords: { files: 50_000 },
  queue: 'io',
  write: writeSpreadsheet,
};

/** "we recommend a 2-MB maximum payload"; in characters, some of which take several bytes. */
const BATCH_CHARACTERS = 750_000;
const BATCH_ROWS = 5_000;
/** A token is valid for an hour. */
const TOKEN_MS = 45 * 60_000;

/**
 * Writes rows into one spreadsheet, found by the export's id, so that it is created once. Each batch has a fixed place
 * in it, so that writing it again changes nothing. A later attempt continues after the last recorded batch.
 *
 * @returns how many records
 * @throws ExportSuperseded, GoogleError
 */
async function writeSpreadsheet({
  em,
  cipher,
  sheets,
  run,
  table,
  controls: { signal, onProgress },
}: ExportJob): Promise<number> {
  if (!sheets) throw new GoogleError('CONNECTION_REJECTED', 'no client of Google is configured any more');
  const token = accessTokens(em.fork(), run, cipher, sheets, signal);
  const { columns, sheetName } = table;
  const id = await ensureSpreadsheet(run, sheets, await token(), table.title, signal);

  const parts = await readParts(run);
  const last = parts.at(-1);
  let records = last?.records ?? 0;
  let number = parts.length;
  const expected = run.row.expectedCount ?? (await table.count());
  onProgress(records, expected);
  const shape = async (count: number) => {
    // A sheet needs one row that is not frozen.
    const size = { rows: Math.max(2, count + 1), columns: columns.length };
    await sheets.shapeSheet(await token(), id, { name: sheetName, ...size }, signal);
  };
  if (!last) {
    await shape(expected);
    const header = columns.map(({ name }) => name);
    await sheets.writeRows(await token(), id, { sheet: sheetName, firstRow: 1, rows: [header] }, signal);
    await changeRun(run, (row) => void (row.expectedCount = expected));
  }
  const from = { after: last?.cursor, written: records, pageBytes: SMALL_PAGE_BYTES };
  for await (const { rows, cursor } of batches(table, table.pages(VALUES, from))) {
    signal.throwIfAborted();
    // Below the header; a batch that was written but not recorded is written to the same place.
    const place = { sheet: sheetName, firstRow: records + 2, rows };
    await sheets.writeRows(await token(), id, place, signal);
    records += rows.length;
    number += 1;
    // The last batch has no cursor, and is written again if this attempt is interrupted.
    if (cursor) await recordPart(run, { number, etag: null, cursor, records });
    onProgress(records, expected);
  }
  // The rows below are of an earlier attempt, before files were deleted.
  if (records < expected) await shape(records);
  if (records === 0) {
    const empty = columns.map(() => null);
    await sheets.writeRows(await token(), id, { sheet: sheetName, firstRow: 2, rows: [empty] }, signal);
  }
  return records;
}

/** The id of the spreadsheet of an export. */
async function ensureSpreadsheet(
  run: ExportRun,
  sheets: GoogleSheets,
  accessToken: string,
  title: string,
  signal: AbortSignal,
): Promise<string> {
  if (run.row.spreadsheetId) return run.row.spreadsheetId;
  const { id, url } = await sheets.ensureSpreadsheet(accessToken, { exportId: run.row.id, title }, signal);
  await changeRun(run, (row) => void Object.assign(row, { spreadsheetId: id, spreadsheetUrl: url }));
  return id;
}

/** The access token of a run, renewed in time. A connection that no longer works is marked as such. */
function accessTokens(
  em: EntityManager,
  { row }: ExportRun,
  cipher: SecretCipher,
  sheets: GoogleSheets,
  signal: AbortSignal,
): () => Promise<string> {
  let known: { token: string; until: number } | undefined;
  return async () => {
    if (known && Date.now() < known.until) return known.token;
    const { connectionId: id, tenantId } = row;
    const connection = id ? await em.findOne(Connection, { id, tenantId }, { refresh: true }) : null;
    if (!connection) throw new GoogleError('CONNECTION_REVOKED', 'the connection was deleted');
    try {
      const token = await sheets.accessToken(secretOf(cipher, connection), signal);
      known = { token, until: Date.now() + TOKEN_MS };
      await em.nativeUpdate(Connection, { id: connection.id }, { error: null, lastUsedAt: new Date() });
      return token;
    } catch (error) {
      if (error instanceof GoogleError && error.code === 'CONNECTION_REVOKED')
        await em.nativeUpdate(Connection, { id: connection.id }, { error: error.message });
      throw error;
    }
  };
}

interface Batch {
  rows: SheetCell[][];
  /** Where the rows after it begin; undefined for the last batch. */
  cursor: ExportCursor | undefined;
}

/** Combines pages into batches of the size of one request. */
async function* batches({ columns }: Table, pages: AsyncIterable<TextPage>): AsyncIterable<Batch> {
  const isNumber = columns.map(({ type }) => type === 'number');
  let rows: SheetCell[][] = [];
  let characters = 0;
  let cursor: ExportCursor | undefined;
  for await (const page of pages) {
    for (const values of valuesOf(page)) {
      rows.push(values.map((value, at) => (value !== null && isNumber[at] ? Number(value) : value)));
      characters += values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    }
    ({ cursor } = page);
    if (characters < BATCH_CHARACTERS && rows.length < BATCH_ROWS) continue;
    yield { rows, cursor };
    [rows, characters] = [[], 0];
  }
  if (rows.length > 0) yield { rows, cursor };
}
