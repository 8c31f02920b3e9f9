import { MAX_CELL_LENGTH } from '../../../domain/exports/cell.ts';
import { MAX_FOLDER_DEPTH } from '../../../domain/limits.ts';
import type { MediumExports } from '../../media/medium.ts';
import { sql, type Sql } from '../../shared/sql.ts';
import { timeSql } from '../history/history-sql.ts';

const status = (component: string): Sql => sql`f.components -> ${component} ->> 'status'`;

/** Columns that files of any medium may fill. */
export const COMMON_COLUMNS = {
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
export const DESCRIPTION_COLUMNS = {
  joins: sql` left join lateral (
    select provider, model from file_descriptions where file_id = f.id order by generation desc limit 1) said on true`,
  columns: { description_provider: sql`said.provider`, description_model: sql`said.model` },
} satisfies MediumExports;

/** All tags of a file as a JSON list, which can be parsed whatever characters they contain. */
export const TAGS_AS_JSON = sql`to_json(f.tags)`;
