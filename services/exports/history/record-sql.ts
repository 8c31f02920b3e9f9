import { raw } from '@mikro-orm/core';
import type { DataExportFormat } from '../../../domain/exports/export.ts';
import {
  HISTORY_METADATA,
  type HistoryField,
  type HistoryMetadata,
} from '../../../domain/exports/history.ts';
import type { HistorySpec } from '../../../domain/exports/spec.ts';
import { concatSql, joinSql, sql, type Sql } from '../../shared/sql.ts';
import { csvTextSql } from '../csv-sql.ts';
import { FAILED_AT, FAILED_REASON, SOURCE_TYPE, timeSql } from './history-sql.ts';

/** Records with a description, then those that have none because something failed. */
export type Phase = 'described' | 'failed';
type Shape = Pick<HistorySpec, 'fields' | 'includeMetadata'>;

/** A value of a record, by what must be done to write it. */
type Value =
  /** The same in every record. */
  | { kind: 'constant'; value: string | null }
  /** Without a character that any format would have to escape; never null. */
  | { kind: 'plain'; value: Sql }
  /** May be any text, or null. */
  | { kind: 'text'; value: Sql }
  /** Of a list, as JSON. */
  | { kind: 'json'; value: Sql }
  | { kind: 'number'; value: Sql };

const constant = (value: string | null): Value => ({ kind: 'constant', value });
const plain = (value: Sql): Value => ({ kind: 'plain', value });
const text = (value: Sql): Value => ({ kind: 'text', value });
const json = (value: Sql): Value => ({ kind: 'json', value });
const number = (value: Sql): Value => ({ kind: 'number', value });

/** Of the file, so the same in both phases. */
const COMMON = {
  type: constant('description'),
  source_type: plain(SOURCE_TYPE),
  source_id: plain(sql`coalesce(f.session_id, f.id)`),
  image_id: plain(sql`f.id`),
  // A temporary URL would have ended before the file is read.
  image_url: plain(sql`'/api/v2/files/' || f.id || '/download'`),
  confidence_score: constant(null),
  verification: constant(null),
} satisfies Partial<Record<HistoryField, Value>>;

const FIELDS: Readonly<Record<Phase, Readonly<Record<HistoryField, Value>>>> = {
  described: {
    ...COMMON,
    id: plain(sql`d.id`),
    created_at: plain(timeSql(sql`d.created_at`)),
    description: text(sql`d.description`),
    status: constant('completed'),
    error_message: constant(null),
  },
  failed: {
    ...COMMON,
    id: plain(sql`f.id`),
    created_at: plain(timeSql(FAILED_AT)),
    description: constant(null),
    status: constant('failed'),
    error_message: text(FAILED_REASON),
  },
};

const OF_FILE = {
  filename: text(sql`f.filename`),
  title: text(sql`f.title`),
  media_type: plain(sql`f.media_type`),
  content_type: plain(sql`f.content_type`),
  content_category: plain(sql`f.content_category`),
} satisfies Partial<Record<HistoryMetadata, Value>>;

const METADATA: Readonly<Record<Phase, Readonly<Record<HistoryMetadata, Value>>>> = {
  described: {
    ...OF_FILE,
    tags: json(sql`d.tags`),
    provider: text(sql`d.provider`),
    model: text(sql`d.model`),
    prompt_version: text(sql`d.prompt_version`),
    generation: number(sql`d.generation`),
    input_tokens: number(sql`d.input_tokens`),
    output_tokens: number(sql`d.output_tokens`),
  },
  failed: {
    ...OF_FILE,
    tags: json(sql`f.tags`),
    provider: constant(null),
    model: constant(null),
    prompt_version: constant(null),
    generation: number(sql`f.generation`),
    input_tokens: constant(null),
    output_tokens: constant(null),
  },
};

/** A piece of a line: the same in every record, or an expression, of which null is nothing. */
type Piece = string | Sql;

/**
 * One record, as expressions on the rows of a phase: the cells of a CSV file, which COPY puts together, or one object of
 * JSON. That is a concatenation, which Postgres makes several times as fast as by its functions for objects.
 */
export function recordSql(format: DataExportFormat, shape: Shape, phase: Phase): Sql {
  if (format === 'csv') return joinSql(csvCells(shape, phase), ',');
  return concatSql(merged(jsonObjectOf(shape, phase)).map(toArgument));
}

/** The first line of a CSV file. */
export function csvHeader({ fields, includeMetadata }: Shape): string {
  return `${[...fields, ...(includeMetadata ? HISTORY_METADATA : [])].join(',')}\r\n`;
}

function csvCells({ fields, includeMetadata }: Shape, phase: Phase): Sql[] {
  const values = [
    ...fields.map((name) => FIELDS[phase][name]),
    ...(includeMetadata ? HISTORY_METADATA.map((name) => METADATA[phase][name]) : []),
  ];
  return values.map(({ kind, value }): Sql => {
    if (kind === 'constant') return value === null ? sql`null` : sql`${value}`;
    if (kind === 'text') return csvTextSql(value);
    return kind === 'json' ? sql`to_json(${value})` : value;
  });
}

function jsonObjectOf({ fields, includeMetadata }: Shape, phase: Phase): Piece[] {
  const members = fields.map((name) => [name, FIELDS[phase][name]] as const);
  const metadata = HISTORY_METADATA.map((name) => [name, METADATA[phase][name]] as const);
  const nested: Piece[] = includeMetadata
    ? [`${members.length > 0 ? ',' : ''}"metadata":`, ...jsonObject(metadata)]
    : [];
  return [...jsonObject(members).slice(0, -1), ...nested, '}'];
}

function jsonObject(members: readonly (readonly [string, Value])[]): Piece[] {
  return [
    '{',
    ...members.flatMap(([name, value], at): Piece[] => [
      `${at > 0 ? ',' : ''}"${name}":`,
      ...jsonValue(value),
    ]),
    '}',
  ];
}

function jsonValue({ kind, value }: Value): Piece[] {
  if (kind === 'constant') return [JSON.stringify(value)];
  if (kind === 'plain') return ['"', value, '"'];
  if (kind === 'number') return [sql`coalesce(${value}::text, 'null')`];
  // As JSON, which needs no copy to become a part of the concatenation.
  return [sql`coalesce(to_json(${value}), 'null')`];
}

/** Neighbouring texts as one: each argument costs time. */
function merged(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') all[all.length - 1] = last + piece;
    else all.push(piece);
  }
  return all.filter((piece) => piece !== '');
}

/** Texts are ours and have no apostrophes; as values they would be parameters, of which a page has enough. */
function toArgument(piece: Piece): Sql {
  return typeof piece === 'string' ? raw<Sql>(`'${piece}'`) : piece;
}
