import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { StoredFile } from '../files/stored-file.ts';

/** The columns that only documents have. Created when the document is first opened; opening it again overwrites it. */
export const DocumentDetails = defineEntity({
  name: 'DocumentDetails',
  tableName: 'document_details',
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    pageCount: p.integer(),
    /** Title, author and time of creation as the document itself states them. */
    title: p.text().nullable(),
    author: p.text().nullable(),
    statedCreatedAt: p.text().nullable(),
    /** ISO 639-1; null where it cannot be told. */
    language: p.string().nullable(),
    /** What the reader needs to know of the whole document to read one page. */
    profile: p.json<unknown>(),
    /** Ids of chunks that are gone, whose vectors are still to be removed. */
    staleChunks: p.array().columnType('uuid[]').default([]),
  },
});
export type DocumentDetails = InferEntity<typeof DocumentDetails>;
