import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { PageImage } from '../../../domain/links/web-page.ts';
import { Tenant } from '../accounts/tenant.ts';
import { StoredFile } from '../files/stored-file.ts';

/**
 * The columns specific to links. Created by the first crawl; overwritten when a crawl finds changed content.
 */
export const LinkDetails = defineEntity({
  name: 'LinkDetails',
  tableName: 'link_details',
  indexes: [
    { name: 'link_details_canonical', properties: ['tenantId', 'canonicalUrl'] },
    { name: 'link_details_final', properties: ['tenantId', 'finalUrl'] },
  ],
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    /** Generation of the file at its last crawl. */
    generation: p.integer(),
    /** After all redirects. */
    finalUrl: p.text(),
    /** Host of `finalUrl`, without `www.`. */
    domain: p.text(),
    /** The URL that identifies the page; `finalUrl` if the page names none. */
    canonicalUrl: p.text(),
    title: p.text().nullable(),
    description: p.text().nullable(),
    siteName: p.text().nullable(),
    author: p.text().nullable(),
    publishedAt: p.text().nullable(),
    language: p.string().nullable(),
    faviconUrl: p.text().nullable(),
    /** Open Graph and Twitter card properties. */
    metadata: p.json<Record<string, string>>(),
    /** Types in the JSON-LD of the page. */
    types: p.array(),
    images: p.json<PageImage[]>(),
    /** The image named by the page's metadata. */
    leadImageUrl: p.text().nullable(),
    /** Validators of the answer, for the next crawl. */
    etag: p.text().nullable(),
    lastModified: p.text().nullable(),
    /** SHA-256 of the extracted content. */
    contentHash: p.string().length(64),
    /** Size of the page in bytes. */
    pageBytes: p.integer(),
    /** When the page was last fetched or found to be unchanged. */
    crawledAt: p.datetime(),
    /** When the content last changed. */
    changedAt: p.datetime(),
    /** Key of the screenshot, a JPEG; null without one. */
    screenshotKey: p.text().nullable(),
    /** When one was last taken, or could not be. */
    screenshotAt: p.datetime().nullable(),
    /** Why the last screenshot failed. */
    screenshotError: p.text().nullable(),
  },
});
export type LinkDetails = InferEntity<typeof LinkDetails>;
