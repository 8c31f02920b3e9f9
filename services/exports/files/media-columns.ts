import { MAX_CELL_LENGTH } from '../../../domain/exports/cell.ts';
import { sql, type Sql } from '../../shared/sql.ts';
import type { ColumnSource } from './common-columns.ts';

export const IMAGE_COLUMNS = {
  joins: sql` left join image_details i on i.file_id = f.id`,
  columns: {
    width: sql`i.width`,
    height: sql`i.height`,
    blur_hash: sql`i.blur_hash`,
    camera: sql`i.image_facts -> 'exif' ->> 'camera'`,
    variant_count: sql`(select count(*)::int from file_variants v where v.file_id = f.id)`,
  },
} satisfies ColumnSource;

/** The next page of a file that has text, and as much of that as a cell may hold. */
function pageAfter(number: Sql): Sql {
  return sql`select page_number, text, length(text) as length from (
    select page.page_number, substr(page.text, 1, ${MAX_CELL_LENGTH}) as text from document_pages page
    where page.file_id = f.id and page.page_number > ${number} and page.status = 'completed' and page.text <> ''
    order by page.page_number limit 1) as page`;
}

export const DOCUMENT_COLUMNS = {
  joins: sql` left join document_details d on d.file_id = f.id`,
  columns: {
    // Page by page, so that none is read beyond the length of a cell.
    extracted_text: sql`case when f.media_type = 'document' then (
      with recursive pages as (
        (${pageAfter(sql`0`)})
        union all
        select next.page_number, next.text, pages.length + 2 + next.length
        from pages, lateral (${pageAfter(sql`pages.page_number`)}) as next where pages.length < ${MAX_CELL_LENGTH}
      ) select left(string_agg(text, E'\n\n' order by page_number), ${MAX_CELL_LENGTH}) from pages) end`,
    document_type: sql`case when f.media_type = 'document' then f.format end`,
    page_count: sql`d.page_count`,
    chunk_count: sql`case when d.file_id is not null then
      (select count(*)::int from document_chunks chunk where chunk.file_id = f.id) end`,
    document_title: sql`d.title`,
    document_author: sql`d.author`,
    language: sql`d.language`,
  },
} satisfies ColumnSource;
