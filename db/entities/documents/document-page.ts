import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import type { PageElement, PageSource } from '../../../domain/documents/page.ts';
import { PAGE_STATUSES } from '../../../domain/documents/page-status.ts';
import { StoredFile } from '../files/stored-file.ts';

/**
 * One page of a document. `pending` pages are what the next run has to read: a retry makes them pending again, and reading
 * a page again replaces its content.
 */
export const DocumentPage = defineEntity({
  name: 'DocumentPage',
  tableName: 'document_pages',
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    /** From 1. */
    pageNumber: p.integer().primary(),
    status: p.enum(PAGE_STATUSES),
    /** Whether it has no usable text layer, so that its picture is recognised. */
    needsOcr: p.boolean(),
    source: p.string().$type<PageSource>().nullable(),
    elements: p.json<readonly PageElement[]>(),
    /** The text of its elements. */
    text: p.text(),
    /** SHA-256 of its elements; null until it has been read. */
    contentHash: p.string().length(64).nullable(),
    /** Attempts begun, over all runs. */
    attempts: p.integer(),
    error: p.json<FailureReason>().nullable(),
    updatedAt: p.datetime(),
  },
});
export type DocumentPage = InferEntity<typeof DocumentPage>;
