import { z } from 'zod';
import { count, timestamp } from './fields.ts';

const pixels = z.int().min(1).nullable();

/** The facts about the page of a link; null or empty until it has been crawled. */
export const pageFacts = z.object({
  domain: z.string().describe('Host of the page, without `www.`'),
  final_url: z.url().nullable().describe('URL after all redirects; null until the page was crawled'),
  canonical_url: z
    .url()
    .nullable()
    .describe('Canonical URL of the page, otherwise `final_url`; null until it was crawled'),
  page_title: z.string().nullable().describe('Title of the page; null without one'),
  description: z.string().nullable().describe('Description in the metadata of the page; null without one'),
  site_name: z.string().nullable().describe('Name of the site, as declared by the page; null without one'),
  author: z.string().nullable().describe('Author, as declared by the page; null without one'),
  published_at: z.string().nullable().describe('Publication date, as declared by the page; null without one'),
  language: z.string().nullable().meta({ description: 'Language, ISO 639-1; null if unknown' }),
  favicon_url: z.url().nullable().describe('URL of the icon, which may not exist; null until it was crawled'),
  og_metadata: z
    .record(z.string(), z.string())
    .meta({ id: 'PageMetadata' })
    .describe('Open Graph, Twitter card and similar properties of the page, by name'),
  structured_types: z.array(z.string()).describe('Types in the JSON-LD of the page, such as `Article`'),
  extracted_images: z
    .array(
      z
        .object({
          url: z.url().describe('URL of the image'),
          alt: z.string().nullable().describe('Alternative text of the image; null without one'),
          width: pixels.describe('Declared width in pixels; null without one'),
          height: pixels.describe('Declared height in pixels; null without one'),
        })
        .meta({ id: 'PageImage' }),
    )
    .describe('Up to 20 images of the page'),
  extracted_images_count: count.describe('Number of `extracted_images`'),
  crawled_at: timestamp
    .nullable()
    .describe('When the page was last fetched or found to be unchanged; null before the first crawl'),
  screenshot_error: z
    .string()
    .nullable()
    .describe(
      'Why the last screenshot of the page failed, which does not fail the file; null if it succeeded',
    ),
  changed_at: timestamp.nullable().describe('When its content last changed; null before the first crawl'),
});

/** The fields that lists have, for links only. */
export const listedPageFacts = pageFacts
  .pick({
    domain: true,
    favicon_url: true,
    og_metadata: true,
    extracted_images: true,
    extracted_images_count: true,
  })
  .partial();
