import type { EntityManager } from '@mikro-orm/postgresql';
import type { PageBox } from 'darkroom-reader/document';
import { MAX_CHUNK_ELEMENTS } from '../../domain/limits.ts';

/** An element of a chunk on its page. */
export interface LocatedElement {
  page: number;
  /** Among the elements of its page, from 0. */
  position: number;
  box: PageBox;
}

/**
 * The first elements of each of a tenant's chunks, in order, with their boxes, which only the pages have. Chunks without
 * elements are absent: those of pages that are being read again, or that were made before elements were kept.
 */
export async function locateElements(
  em: EntityManager,
  tenantId: string,
  chunks: readonly { id: string }[],
): Promise<Map<string, LocatedElement[]>> {
  if (chunks.length === 0) return new Map();
  // Every page is unpacked once, however many of its elements are wanted.
  const rows = await em.execute<(LocatedElement & { id: string })[]>(
    `with wanted as materialized (
       select id, file_id, at, elements[at][1] as page, elements[at][2] as position
       from document_chunks, generate_series(1, least(array_length(elements, 1), ?)) as at
       where tenant_id = ? and id in (${chunks.map(() => '?').join(', ')})),
     pages as (select distinct file_id, page from wanted)
     select wanted.id, wanted.page, wanted.position, element -> 'box' as box
     from pages
       join document_pages on document_pages.file_id = pages.file_id and page_number = page
       cross join lateral jsonb_array_elements(elements) with ordinality as listed(element, number)
       join wanted on wanted.file_id = pages.file_id and wanted.page = pages.page and wanted.position = number - 1
     order by wanted.id, at`,
    [MAX_CHUNK_ELEMENTS, tenantId, ...chunks.map(({ id }) => id)],
  );
  const located = new Map<string, LocatedElement[]>();
  for (const { id, ...element } of rows) located.set(id, [...(located.get(id) ?? []), element]);
  return located;
}

/**
 * Removes pages' elements from the chunks of a document: their positions are those before the pages were read again. The
 * chunks get new ones when they are made again, in the same run.
 */
export async function forgetElements(
  tx: EntityManager,
  fileId: string,
  pages: readonly number[],
): Promise<void> {
  await tx.execute(
    `update document_chunks set elements = '{}' where file_id = ? and elements <> '{}'
       and page_numbers && array(select jsonb_array_elements_text(?::jsonb)::int)`,
    [fileId, JSON.stringify(pages)],
  );
}
