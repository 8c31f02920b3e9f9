import Papa from 'papaparse';
import { z } from 'zod';
import type { ItemAttributes } from '../../domain/imports.ts';
import { CONTENT_CATEGORIES } from '../../domain/content-categories.ts';
import { MAX_SOURCE_KEY, MAX_TITLE_LENGTH } from '../../domain/limits.ts';
import { MAX_LINK_LENGTH } from '../../domain/links/web-link.ts';
import { optional, tagList, text as boundedText } from '../../domain/schemas/text.ts';
import { printable } from '../../domain/text.ts';

const id = z.guid().toLowerCase();
const attributes = {
  title: optional(boundedText(MAX_TITLE_LENGTH)),
  tags: optional(tagList),
  folder_id: optional(id),
  content_category: optional(z.enum(CONTENT_CATEGORIES)),
  custom_schema_id: optional(id),
};
/** A valid row, as JSON, by what it names its file with. */
const rows = {
  url: z.strictObject({ url: z.url({ protocol: /^https?$/ }).max(MAX_LINK_LENGTH), ...attributes }),
  key: z.strictObject({ key: boundedText(MAX_SOURCE_KEY).min(1), ...attributes }),
};
export type ManifestNames = keyof typeof rows;

/** How the lines of a table are read. */
export interface ManifestTable {
  columns: string[];
  delimiter: string;
}

/** A row of a manifest. */
interface ManifestRow {
  /** The URL or key of its file, or the number of its line if it is not valid. */
  key: string;
  attributes?: ItemAttributes;
  /** Why it is not valid. */
  problem?: string;
}

/**
 * Reads whole lines: JSON objects, or CSV if the first line of all has a column with the name of the file. Every row has a
 * result, so that they can be counted.
 *
 * @param given.names     whether rows name URLs, or keys of a bucket
 * @param given.firstLine number of the first line in the manifest, from 1
 * @param given.table     what the first lines said, for all others
 */
export function readManifest(given: {
  text: string;
  firstLine: number;
  names: ManifestNames;
  table?: ManifestTable | undefined;
}): { rows: ManifestRow[]; table?: ManifestTable } {
  const { names } = given;
  const lines = given.text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  let { firstLine, table } = given;
  if (firstLine === 1) {
    lines[0] = lines[0]?.replace(/^\uFEFF/, '') ?? '';
    table = readHead(lines[0], names);
    if (table) {
      lines.shift();
      firstLine = 2;
    }
  }
  return {
    rows: lines.map((line, at) => readRow(line, firstLine + at, names, table)),
    ...(table && { table }),
  };
}

function readHead(line: string, names: ManifestNames): ManifestTable | undefined {
  const { data, meta } = Papa.parse<string[]>(line);
  const columns = (data[0] ?? []).map((name) => name.trim().toLowerCase());
  return columns.includes(names) ? { columns, delimiter: meta.delimiter } : undefined;
}

function readRow(
  line: string,
  number: number,
  names: ManifestNames,
  table: ManifestTable | undefined,
): ManifestRow {
  const refused = (problem: string) => ({ key: `line ${number}`, problem });
  if (line.trim() === '') return refused('the line is empty');
  let value: unknown;
  try {
    value = table ? readCells(line, names, table) : JSON.parse(line);
  } catch (error) {
    return refused(error instanceof BadCells ? error.message : 'the line is not JSON');
  }
  const { data, error } = rows[names].safeParse(value);
  if (!data) return refused(printable(z.prettifyError(error), 300));
  const { title, tags, folder_id: folderId, content_category: contentCategory } = data;
  return {
    key: 'url' in data ? data.url : data.key,
    attributes: {
      ...(title && { title }),
      ...(tags && { tags }),
      ...(folderId && { folderId }),
      ...(contentCategory && { contentCategory }),
      ...(data.custom_schema_id && { customSchemaId: data.custom_schema_id }),
    },
  };
}

class BadCells extends Error {}

/** The cells of the columns that a row may have; tables out of other programs have more. */
function readCells(
  line: string,
  names: ManifestNames,
  { columns, delimiter }: ManifestTable,
): Record<string, unknown> {
  const { data, errors } = Papa.parse<string[]>(line, { delimiter });
  const [problem] = errors;
  const [row = []] = data;
  if (data.length > 1) throw new BadCells('the line has more than one row');
  if (row.slice(columns.length).some((cell) => cell.trim() !== '')) {
    throw new BadCells(
      'the row has more cells than there are columns; quote those with the delimiter in them',
    );
  }
  if (problem) throw new BadCells(`${problem.message.toLowerCase()}; a row is one line`);
  const cells = columns.flatMap((name, at) => {
    const cell = row[at]?.trim();
    if (!cell || (name !== names && !Object.hasOwn(attributes, name))) return [];
    return [[name, name === 'tags' ? cell.split(/[,;]/) : cell] as const];
  });
  return Object.fromEntries(cells);
}
