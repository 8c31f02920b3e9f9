import type { ExportCursor } from '../../../domain/exports/export.ts';
import type { HistoryFilter } from '../../../domain/exports/history.ts';
import { joinSql, sql, type Sql } from '../../shared/sql.ts';

/** How the file of a description arrived. */
export const SOURCE_TYPE = sql`case when f.session_id is null then 'single' else 'batch' end`;

/** Times in the format of the API. */
export const timeSql = (column: Sql): Sql =>
  sql`to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * The descriptions of the tenant's live files that a filter selects: `d` with its file `f`. Only the terms and the
 * source are not served by the index of the history.
 */
export function describedSql(tenantId: string, filter: HistoryFilter): Sql {
  const period = periodSql(sql`d.created_at`, filter);
  const conditions = [sql`d.tenant_id = ${tenantId}`, sql`f.deleted_at is null`, ...period];
  return sql`from file_descriptions d join files f on f.id = d.file_id
    where ${joinSql([...conditions, ...restSql(filter, sql`d.description`)], 'and')}`;
}

/** The files without a description because of a failure, `f`, at the time of their last change. */
export function failedSql(tenantId: string, filter: HistoryFilter): Sql {
  const conditions = [
    sql`f.tenant_id = ${tenantId}`,
    sql`f.deleted_at is null`,
    sql`(f.components -> 'description' ->> 'status' = 'failed'
      or f.components -> 'description' ->> 'cause' = 'upstream_failed')`,
    ...periodSql(FAILED_AT, filter),
    ...restSql(filter, sql`''`),
  ];
  return sql`from files f where ${joinSql(conditions, 'and')}`;
}

/** Why a file was not described: the error of any failed component. */
export const FAILED_REASON = sql`coalesce(f.components -> 'description' -> 'error' ->> 'message', (
  select component.value -> 'error' ->> 'message' from jsonb_each(f.components) as component
  where component.value ->> 'status' = 'failed' limit 1))`;
/** When the description of a file failed. */
export const FAILED_AT = sql`coalesce((f.components -> 'description' ->> 'endedAt')::timestamptz, f.updated_at)`;

/** The order of the records with a description, newest first. */
export const DESCRIBED_ORDER = sql`d.created_at desc, d.file_id desc, d.generation desc`;
export function afterDescribed({ place }: ExportCursor): Sql {
  return sql` and ${DESCRIBED_KEY} < ${describedKey(place)}`;
}

/** The records up to this one, inclusive. */
export function upToDescribed({ place }: ExportCursor): Sql {
  return sql` and ${DESCRIBED_KEY} >= ${describedKey(place)}`;
}

/** The place of the n-th description of a range, of live and deleted files alike; from the index alone. */
export function describedPlaceSql(tenantId: string, filter: HistoryFilter, range: Sql, count: number): Sql {
  const conditions = [sql`d.tenant_id = ${tenantId}`, ...periodSql(sql`d.created_at`, filter)];
  return sql`select json_build_array(d.created_at::text, d.file_id, d.generation::text) as place from file_descriptions d
    where ${joinSql(conditions, 'and')}${range}
    order by ${DESCRIBED_ORDER} offset ${count - 1} limit 1`;
}

const DESCRIBED_KEY = sql`(d.created_at, d.file_id, d.generation)`;

function describedKey([time = '', fileId = '', generation = '']: string[]): Sql {
  return sql`(${time}::timestamptz, ${fileId}::uuid, ${generation}::int)`;
}

/** Files in the order of their ids: the time of a failure changes with a retry. */
export const FAILED_ORDER = sql`f.id desc`;

export function afterFailed({ place: [fileId = ''] }: ExportCursor): Sql {
  return sql` and f.id < ${fileId}::uuid`;
}

export function upToFailed({ place: [fileId = ''] }: ExportCursor): Sql {
  return sql` and f.id >= ${fileId}::uuid`;
}

/** The place of the n-th of these files in a range. */
export function failedPlaceSql(tenantId: string, filter: HistoryFilter, range: Sql, count: number): Sql {
  return sql`select json_build_array(f.id) as place ${failedSql(tenantId, filter)}${range}
    order by ${FAILED_ORDER} offset ${count - 1} limit 1`;
}

function periodSql(column: Sql, { from, to }: HistoryFilter): Sql[] {
  return [
    ...(from === undefined ? [] : [sql`${column} >= ${from}::timestamptz`]),
    ...(to === undefined ? [] : [sql`${column} <= ${to}::timestamptz`]),
  ];
}

function restSql({ minConfidence, maxConfidence, terms, sourceTypes }: HistoryFilter, text: Sql): Sql[] {
  const scored = minConfidence !== undefined || maxConfidence !== undefined;
  const nothing = terms?.length === 0 || sourceTypes?.length === 0;
  const searched = sql`lower(concat_ws(' ', ${text}, f.title, f.filename))`;
  return [
    // "confidence_score (null for descriptions)"
    ...(scored || nothing ? [sql`false`] : []),
    ...(terms ?? []).map((term): Sql => sql`position(lower(${term}) in ${searched}) > 0`),
    ...(sourceTypes?.length === 1 ? [sql`${SOURCE_TYPE} = ${sourceTypes[0] ?? ''}`] : []),
  ];
}
