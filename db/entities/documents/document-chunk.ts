import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import {
  CHUNK_ROLES,
  CHUNK_TYPES,
  EMBEDDING_STATUSES,
  type ElementPlace,
} from '../../../domain/documents/split-element.ts';
import { Tenant } from '../accounts/tenant.ts';
import { StoredFile } from '../files/stored-file.ts';

/**
 * One chunk of a document. Its id is derived from its content, so that a chunk with unchanged text keeps its row and
 * its vector. Only the migration defines column `search`, its words by the rules of `dictionary`, and its index.
 */
export const DocumentChunk = defineEntity({
  name: 'DocumentChunk',
  tableName: 'document_chunks',
  indexes: [
    { name: 'document_chunks_file', properties: ['fileId', 'chunkIndex'] },
    { name: 'document_chunks_tenant', properties: ['tenantId', 'dictionary'] },
    { name: 'document_chunks_sample', properties: ['tenantId', 'id'] },
    {
      name: 'document_chunks_collection',
      expression: `create index "document_chunks_collection" on "document_chunks" ("collection") where "embedding_status" = 'completed'`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    fileId: p.manyToOne(StoredFile).mapToPk().fieldName('file_id').deleteRule('cascade'),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    /** Numbered from 0, without gaps. */
    chunkIndex: p.integer(),
    content: p.text(),
    pageNumbers: p.array<number>((page) => Number(page)).columnType('int[]'),
    headingPath: p.array(),
    tokenCount: p.integer(),
    chunkType: p.enum(CHUNK_TYPES),
    /** Contents and indexes rank below the text of documents. */
    role: p.enum(CHUNK_ROLES).default('body'),
    /** Empty while a page of it is read again, until the chunks are made. */
    elements: p.array().$type<ElementPlace[]>().columnType('int[]').default([]),
    /** Postgres text search configuration for its language. */
    dictionary: p.string(),
    embeddingStatus: p.enum(EMBEDDING_STATUSES),
    /** The collection that holds its vector. */
    collection: p.string().nullable(),
  },
});
export type DocumentChunk = InferEntity<typeof DocumentChunk>;
