import type { EntityManager } from '@mikro-orm/postgresql';
import type { SecretCipher } from '../../../adapters/encryption/secret-cipher.ts';
import type { GoogleSheets } from '../../../adapters/google-sheets/google-sheets.ts';
import type { ObjectStore } from '../../../adapters/object-store/object-store.ts';
import type { ExportKind } from '../../../domain/exports/export.ts';
import type { ExportQueue } from '../../../temporal/contract/export-data.ts';
import type { ExportRun } from '../export-run.ts';
import type { Table } from '../table.ts';

export interface WriteDeps {
  em: EntityManager;
  objects: ObjectStore;
  cipher: SecretCipher;
  /** Undefined if no Google client is configured. */
  sheets: GoogleSheets | undefined;
}

/** The controls of an attempt to write an export. */
export interface ExportControls {
  signal: AbortSignal;
  onProgress: (records: number, expected: number | null) => void;
}

/** One attempt to write a table. */
export interface ExportJob extends WriteDeps {
  run: ExportRun;
  table: Table;
  controls: ExportControls;
}

/** A format of exports: its properties, and its writer. */
export interface Format {
  /** Maximum records per kind of export. An absent kind cannot be exported in this format. */
  maxRecords: Readonly<Partial<Record<ExportKind, number>>>;
  /** The resulting file; absent for a spreadsheet in an account of the tenant, which needs a connection. */
  file?: { contentType: string; extension: string };
  /** `cpu` for formats that compress, or that build the whole file in memory. */
  queue: ExportQueue;
  /**
   * Writes all records, continuing after those of an earlier attempt, and returns their number.
   *
   * @throws ExportSuperseded, PartsChanged, RecordTooSlow, GoogleError, AppError EXPORT_TOO_LARGE
   */
  write(job: ExportJob): Promise<number>;
}
