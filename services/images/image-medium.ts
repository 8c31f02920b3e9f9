import { DomainExtraction } from '../../db/entities/extractions/domain-extraction.ts';
import { MAX_CELL_LENGTH } from '../../domain/exports/cell.ts';
import { startSyncImageIndex } from '../../temporal/starters/sync-image-index.ts';
import type { Medium } from '../media/medium.ts';
import { sql } from '../shared/sql.ts';

export const imageMedium: Medium = {
  mediaType: 'image',
  ownTables: ['file_variants', 'image_details', 'domain_extractions'],
  index: {
    // A run that was cut off may have written the entry and not the description.
    isDue: ({ describedAt, deletedAt, workflowStartedAt }) =>
      Boolean(describedAt ?? (deletedAt && workflowStartedAt)),
    dueSql: 'described_at is not null',
    sync: startSyncImageIndex,
  },
  exports: {
    joins: sql` left join image_details i on i.file_id = f.id`,
    columns: {
      width: sql`i.width`,
      height: sql`i.height`,
      blur_hash: sql`i.blur_hash`,
      camera: sql`i.image_facts -> 'exif' ->> 'camera'`,
      variant_count: sql`(select count(*)::int from file_variants v where v.file_id = f.id)`,
      extracted_domains: sql`(
        select string_agg(e.domain, ', ' order by e.domain) from domain_extractions e
        where e.file_id = f.id and e.status <> 'not_assessed')`,
      extracted_data: sql`(
        select left(json_object_agg(e.domain, e.result order by e.domain)::text, ${MAX_CELL_LENGTH})
        from domain_extractions e where e.file_id = f.id and e.result is not null)`,
      extraction_corrections: sql`(
        select left(json_object_agg(e.domain, e.corrections order by e.domain)::text, ${MAX_CELL_LENGTH})
        from domain_extractions e where e.file_id = f.id and e.corrections is not null)`,
    },
  },
  extraction: {},
  /**
   * No model is paid again for what was extracted, however often the rest is retried. A new description may find another
   * category and other text, so it extracts anew.
   */
  async keepResults(tx, { fileId, generation, components }, reopened) {
    if (components.extraction?.status === 'completed' || reopened.includes('description')) return;
    await tx.nativeUpdate(DomainExtraction, { fileId, generation }, { generation: generation + 1 });
  },
};
