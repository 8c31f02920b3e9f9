import { CategoryExtraction } from '../../db/entities/extractions/category-extraction.ts';
import { MAX_CELL_LENGTH } from '../../domain/exports/cell.ts';
import { INDEX_CHANGED, SYNC_INDEX } from '../../temporal/contract/indexes.ts';
import { startWorkflow } from '../../temporal/start-workflow.ts';
import type { Medium, MediumIndex } from '../media/medium.ts';
import { sql } from '../shared/sql.ts';

/** The similarity index, for media that are represented by an image. */
export const imageIndex: MediumIndex = {
  // An interrupted run may have written the entry but not the description.
  name: 'images',
  isDue: ({ describedAt, deletedAt, workflowStartedAt }) =>
    Boolean(describedAt ?? (deletedAt && workflowStartedAt)),
  dueSql: 'described_at is not null',
  sync: (engine, file) =>
    startWorkflow(engine, SYNC_INDEX, { index: 'images', ...file }, { signal: INDEX_CHANGED }),
};

export const imageMedium: Medium = {
  mediaType: 'image',
  ownTables: ['file_variants', 'image_details', 'category_extractions'],
  index: imageIndex,
  exports: {
    joins: sql` left join image_details i on i.file_id = f.id`,
    columns: {
      width: sql`i.width`,
      height: sql`i.height`,
      blur_hash: sql`i.blur_hash`,
      camera: sql`i.image_facts -> 'exif' ->> 'camera'`,
      variant_count: sql`(select count(*)::int from file_variants v where v.file_id = f.id)`,
      extracted_domains: sql`(
        select string_agg(e.category, ', ' order by e.category) from category_extractions e
        where e.file_id = f.id and e.status <> 'not_assessed')`,
      extracted_data: sql`(
        select left(json_object_agg(e.category, e.result order by e.category)::text, ${MAX_CELL_LENGTH})
        from category_extractions e where e.file_id = f.id and e.result is not null)`,
      extraction_corrections: sql`(
        select left(json_object_agg(e.category, e.corrections order by e.category)::text, ${MAX_CELL_LENGTH})
        from category_extractions e where e.file_id = f.id and e.corrections is not null)`,
    },
  },
  extraction: {},
  /**
   * A retry does not pay the model again for extracted data, unless it includes a new description: that may change the
   * category and the text, so the data is extracted anew.
   */
  async keepResults(tx, { fileId, generation, components }, reopened) {
    if (components.extraction?.status === 'completed' || reopened.includes('description')) return;
    await tx.nativeUpdate(CategoryExtraction, { fileId, generation }, { generation: generation + 1 });
  },
};
