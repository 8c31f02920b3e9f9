import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { StoredFile } from '../files/stored-file.ts';

/** The columns specific to documents. Created when the document is first opened; opening it again overwrites it. */
export const DocumentDetails = defineEntity({
  name: 'DocumentDetails',
  tableName: 'document_details',
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    pageCount: p.integer(),
    /** Title, author and creation time from the document's metadata. */
    title: p.text().nullable(),
    author: p.text().nullable(),
    statedCreatedAt: p.text().nullable(),
    /** ISO 639-1; null if it cannot be detected. */
    language: p.string().nullable(),
    /** Facts about the whole document that its reader needs for a single page. */
    profile: p.json<unknown>(),
    /** Codes of the languages in which all its scanned pages are recognised; null until the first is. */
    recognisedIn: p.array().nullable(),
    /** Ids of removed chunks whose vectors still have to be deleted. */
    staleChunks: p.array().columnType('uuid[]').default([]),
  },
});
export type DocumentDetails = InferEntity<typeof DocumentDetails>;
