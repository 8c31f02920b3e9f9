import type { ComplianceStatus } from '../../domain/compliance/compliance.ts';
import type { MediaType } from '../../domain/media.ts';
import { uuidArray } from './folders/folder-tree.ts';
import type { FolderScope } from './folders/resolve-scope.ts';
import { joinSql, sql, type Sql } from '../shared/sql.ts';

/** Selects the files of a list. Absent fields filter nothing; an empty list selects no files, whatever it is of. */
export interface FileFilter {
  /** True lists the trash instead of live files. */
  deleted: boolean;
  /** All of them. */
  tags?: string[] | undefined;
  /** Any of them. */
  mediaTypes?: MediaType[] | undefined;
  hasDescription?: boolean | undefined;
  ids?: string[] | undefined;
  complianceStatus?: ComplianceStatus | undefined;
  /** Only files in these folders. */
  folders?: FolderScope | undefined;
  /** First and last moment of `created_at`, both included. */
  from?: Date | undefined;
  to?: Date | undefined;
}

/** The condition on `files`; every part of it is served by an index. */
export function filterSql(tenantId: string, filter: FileFilter): Sql {
  const conditions: Sql[] = [
    sql`tenant_id = ${tenantId}`,
    filter.deleted ? sql`deleted_at is not null` : sql`deleted_at is null`,
  ];
  const { tags, mediaTypes, ids } = filter;
  if ([tags, mediaTypes, ids].some((values) => values?.length === 0)) conditions.push(sql`false`);
  if (tags?.length) conditions.push(sql`tags @> array[${list(tags)}]::text[]`);
  if (mediaTypes?.length) {
    // Not `= any`, which a GIN index cannot serve.
    const either = mediaTypes.map((type) => sql`media_type = ${type}`);
    conditions.push(sql`(${joinSql(either, 'or')})`);
  }
  if (filter.hasDescription !== undefined) conditions.push(sql`has_description = ${filter.hasDescription}`);
  if (ids?.length) conditions.push(sql`id in (${list(ids)})`);
  if (filter.complianceStatus) conditions.push(sql`compliance_status = ${filter.complianceStatus}`);
  if (filter.folders) conditions.push(folderSql(filter.folders));
  if (filter.from) conditions.push(sql`created_at >= ${filter.from.toISOString()}`);
  if (filter.to) conditions.push(sql`created_at <= ${filter.to.toISOString()}`);
  return joinSql(conditions, 'and');
}

/** Whether a filter selects all live files or the whole trash, so that the tally has the count. */
export function isUnfiltered(filter: FileFilter): boolean {
  return Object.values({ ...filter, deleted: undefined }).every((value) => value === undefined);
}

function folderSql({ folderIds }: FolderScope): Sql {
  if (!folderIds) return sql`folder_id is null`;
  const [first = '', ...more] = folderIds;
  return more.length === 0
    ? sql`folder_id = ${first}`
    : sql`folder_id = any(${uuidArray(folderIds)}::uuid[])`;
}

function list(values: readonly string[]): Sql {
  return joinSql(
    values.map((value) => sql`${value}`),
    ',',
  );
}
