import type { ExportKind } from '../../../domain/exports/export.ts';
import { csv } from './csv.ts';
import { docx } from './docx.ts';
import type { Format } from './format.ts';
import { googleSheets } from './google-sheets.ts';
import { json, jsonl } from './json.ts';
import { xlsx } from './xlsx.ts';

/** Every format of exports, by its name in the API, in the order of the API's list. */
export const FORMATS = {
  csv,
  xlsx,
  docx,
  google_sheets: googleSheets,
  json,
  jsonl,
} satisfies Readonly<Record<string, Format>>;

export type ExportFormat = keyof typeof FORMATS;
export const EXPORT_FORMATS = Object.keys(FORMATS) as ExportFormat[];

/** The format of this name, which the API has validated. */
export function formatOf(name: string): Format {
  if (!Object.hasOwn(FORMATS, name)) throw new Error(`there is no format ${name}`);
  return FORMATS[name as ExportFormat];
}

/** The formats available for a kind of export. */
export function formatsFor(kind: ExportKind): ExportFormat[] {
  return EXPORT_FORMATS.filter((name) => formatOf(name).maxRecords[kind] !== undefined);
}
