import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import type { LaidOutBy, PageLines, PageElement, PageSource } from 'darkroom-reader/document';
import { PAGE_STATUSES } from '../../../domain/documents/page.ts';
import { StoredFile } from '../files/stored-file.ts';
import { PageElements } from './page-elements.ts';

/**
 * One page of a document. The next run reads `pending` pages: a retry makes them pending again, and reading a page
 * again replaces its content. Likewise, the next run lays out the pages whose layout is due.
 */
export const DocumentPage = defineEntity({
  name: 'DocumentPage',
  tableName: 'document_pages',
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    /** Numbered from 1. */
    pageNumber: p.integer().primary(),
    status: p.enum(PAGE_STATUSES),
    /** Whether it lacks a usable text layer, so that its image is recognised. */
    needsOcr: p.boolean(),
    source: p.string().$type<PageSource>().nullable(),
    elements: p.type(PageElements).$type<readonly PageElement[]>(),
    /** The text of its elements. */
    text: p.text(),
    /** SHA-256 of its elements; null until it has been read. */
    contentHash: p.string().length(64).nullable(),
    /** Attempts started, over all runs. */
    attempts: p.integer(),
    error: p.json<FailureReason>().nullable(),
    /** Whether layout by a model is due: until then, and if that fails, its elements come from the rules. */
    layoutDue: p.boolean().default(false),
    /** How sure the rules were of its layout, from 0 to 1; null for formats that state their structure. */
    layoutConfidence: p.float().nullable(),
    /** Its lines, kept while its layout is due. */
    lines: p.json<PageLines>().nullable(),
    /** The model that laid it out; null for the rules. */
    laidOutBy: p.json<LaidOutBy>().nullable(),
    /** Why layout by the model failed. */
    layoutError: p.json<FailureReason>().nullable(),
    updatedAt: p.datetime(),
  },
});
export type DocumentPage = InferEntity<typeof DocumentPage>;
