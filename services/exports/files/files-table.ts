import type { EntityManager } from '@mikro-orm/postgresql';
import type { RowValues } from '../../../db/stream-rows.ts';
import { plainText, MAX_CELL_LENGTH } from '../../../domain/exports/cell.ts';
import type { ExportCursor } from '../../../domain/exports/export.ts';
import { NUMBER_COLUMNS } from '../../../domain/exports/file-columns.ts';
import type { FilesSpec } from '../../../domain/exports/spec.ts';
import { filterSql, type FileFilter } from '../../files/file-filter.ts';
import { afterSql, orderBy, orderSql, placeSql, upToSql } from '../../files/file-order.ts';
import { resolveScope } from '../../files/folders/resolve-scope.ts';
import { allMedia, type MediumExports } from '../../media/medium.ts';
import { joinSql, sql, type Sql } from '../../shared/sql.ts';
import { readRanges, type Range } from '../ranges.ts';
import { readText, type Column, type Table } from '../table.ts';
import { MAX_FOLDER_DEPTH } from '../../../domain/limits.ts';
import { timeSql } from '../history/history-sql.ts';

/** The value of a column that no medium fills. */
const NOTHING = sql`null`;
const NEWEST = orderBy('created_at', 'desc');

/**
 * The files selected for an export, newest first: live ones that existed when it was requested. Unknown ids, and those
 * of deleted files and of other tenants, select nothing. Texts are limited to characters that every format supports.
 *
 * @throws AppError NOT_FOUND for its folder
 */
export async function openFilesTable(
  em: EntityManager,
  { tenantId, createdAt }: { tenantId: string; createdAt: Date },
  spec: FilesSpec,
): Promise<Table> {
  const { fileIds, folderId, includeSubfolders, title, sheetName } = spec;
  const folders = await resolveScope(em, tenantId, { folderId, includeSubfolders });
  const filter: FileFilter = { deleted: false, ids: fileIds, folders, to: createdAt };
  const among = filterSql(tenantId, filter);
  const columns = spec.columns.map(({ key, name }): Column => {
    return { name: plainText(name), type: NUMBER_COLUMNS.has(key) ? 'number' : 'text' };
  });

  async function findEnd({ after, upTo }: Range, size: number): Promise<ExportCursor | undefined> {
    const [end] = await em.fork().execute<ExportCursor[]>(
      sql`select to_json(${placeSql(NEWEST)}) as place from files where ${among}${afterPlace(after)}${upToPlace(upTo)}
        order by ${orderSql(NEWEST)} offset ${size - 1} limit 1`,
    );
    return end;
  }

  return {
    title,
    sheetName,
    columns,

    async count() {
      const [row] = await em
        .fork()
        .execute<{ count: number }[]>(sql`select count(*)::int as count from files where ${among}`);
      return row?.count ?? 0;
    },

    async *pages({ row, between }, { after, pageBytes }) {
      const layout = { between, row: (values: RowValues) => row(plainTexts(values)) };
      const read = ({ after: begin, upTo }: Range, maxBytes: number) => {
        const files = sql`select * from files where ${among}${afterPlace(begin)}${upToPlace(upTo)}`;
        return readText(em, rowsSql(spec, files), layout, maxBytes);
      };
      for await (const { range, page } of readRanges({ after, targetBytes: pageBytes, findEnd, read }))
        yield { ...page, cursor: range.upTo };
    },
  };
}

/** The columns of these files, newest first. */
function rowsSql({ columns, flattenTags }: Pick<FilesSpec, 'columns' | 'flattenTags'>, files: Sql): Sql {
  const offered = allMedia().flatMap(({ exports }) => exports ?? []);
  const all: readonly MediumExports[] = [COMMON_COLUMNS, DESCRIPTION_COLUMNS, ...offered];
  const sources = all.filter((source) => columns.some(({ key }) => key in source.columns));
  const valueOf = Object.assign({}, ...all.map((source) => source.columns)) as MediumExports['columns'];
  const values = columns.map(({ key }) =>
    key === 'tags' && !flattenTags ? TAGS_AS_JSON : (valueOf[key] ?? NOTHING),
  );
  const joins = sources.reduce((former, source): Sql => sql`${former}${source.joins}`, sql``);
  return sql`select ${joinSql(values, ',')} from (${files}) as f${joins} order by f.created_at desc, f.id desc`;
}

/** Changes the row in place, since it has no other reader. */
function plainTexts(values: RowValues): RowValues {
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at];
    if (value) values[at] = plainText(value);
  }
  return values;
}

function afterPlace(after: ExportCursor | undefined): Sql {
  return after ? sql` and ${afterSql(NEWEST, after.place)}` : sql``;
}

/** A file that was deleted meanwhile must not be replaced by one of the next range. */
function upToPlace(upTo: ExportCursor | undefined): Sql {
  return upTo ? sql` and ${upToSql(NEWEST, upTo.place)}` : sql``;
}

const status = (component: string): Sql => sql`f.components -> ${component} ->> 'status'`;

/** Columns that files of any medium may fill. */
const COMMON_COLUMNS = {
  joins: sql``,
  columns: {
    id: sql`f.id`,
    title: sql`coalesce(f.title, f.filename)`,
    filename: sql`f.filename`,
    media_type: sql`f.media_type`,
    content_type: sql`f.content_type`,
    format: sql`f.format`,
    size_bytes: sql`f.size_bytes`,
    source_url: sql`f.source_url`,
    content_category: sql`f.content_category`,
    folder_id: sql`f.folder_id`,
    folder_path: sql`case when f.folder_id is not null then (
      with recursive line as (
        select parent_id, name, 1 as level from folders where tenant_id = f.tenant_id and id = f.folder_id
        union all
        select parent.parent_id, parent.name, line.level + 1 from line
          join folders parent on parent.tenant_id = f.tenant_id and parent.id = line.parent_id
          where line.level < ${MAX_FOLDER_DEPTH}
      ) select '/' || string_agg(name, '/' order by level desc) from line) end`,
    sha256: sql`f.sha256`,

    created_at: timeSql(sql`f.created_at`),
    updated_at: timeSql(sql`f.updated_at`),
    content_created_at: timeSql(sql`f.content_created_at`),
    described_at: timeSql(sql`f.described_at`),

    description: sql`coalesce(f.user_description, f.upload_description)`,
    upload_description: sql`f.upload_description`,
    user_description: sql`f.user_description`,

    visible_text: sql`left(f.visible_text, ${MAX_CELL_LENGTH})`,

    tags: sql`array_to_string(f.tags, ', ')`,
    tag_count: sql`cardinality(f.tags)`,

    extraction_status: status('extraction'),

    primary_status: sql`f.primary_status`,
    variant_status: status('variant'),
    description_status: status('description'),
    text_extraction_status: status('text_extraction'),
    digitization_status: status('digitization'),
    video_analysis_status: status('video_analysis'),
    crawl_status: status('crawl'),
    compliance_status: sql`f.compliance_status`,
    description_error: sql`f.components -> 'description' -> 'error' ->> 'message'`,
  },
} satisfies MediumExports;

/** Columns of the latest description of a file, which is looked up once for both. */
const DESCRIPTION_COLUMNS = {
  joins: sql` left join lateral (
    select provider, model from file_descriptions where file_id = f.id order by generation desc limit 1) said on true`,
  columns: { description_provider: sql`said.provider`, description_model: sql`said.model` },
} satisfies MediumExports;

/** All tags of a file as a JSON list, which can be parsed whatever characters they contain. */
const TAGS_AS_JSON = sql`to_json(f.tags)`;
