import { AppError } from '../../domain/app-error.ts';
import type { Medium } from '../media/medium.ts';
import { documentMedium } from '../documents/document-medium.ts';
import { sql } from '../shared/sql.ts';

/** The domain of a link before its first crawl; the same rule as `domainOf`. */
const DOMAIN = String.raw`^https?://(?:www\.)?(\[[^\]]*\]|[^/:?]+)`;

/**
 * The page of a link is stored as the only page of a document: chunks, index and extractions work as for
 * documents.
 */
export const linkMedium: Medium = {
  mediaType: 'link',
  ownTables: ['link_details'],
  ...(documentMedium.index && { index: documentMedium.index }),
  extraction: {
    ...documentMedium.extraction,
    requireReadable({ components }) {
      const crawl = components.crawl?.status;
      if (crawl === 'completed') return;
      if (crawl === 'failed' || crawl === 'skipped')
        throw new AppError('DOCUMENT_UNREADABLE', 'the page of this link could not be crawled');
      throw new AppError('WORK_IN_PROGRESS', 'the page is still being crawled; try again when it is', {
        retryAfterSeconds: 2,
      });
    },
  },
  exports: {
    joins: sql` left join link_details l on l.file_id = f.id`,
    columns: {
      domain: sql`case when f.media_type = 'link' then
        coalesce(l.domain, substring(f.source_url from ${DOMAIN})) end`,
      extracted_images_count: sql`jsonb_array_length(l.images)`,
    },
  },
};
