import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { CHUNK_TYPES, EMBEDDING_STATUSES } from '../../../domain/documents/chunk.ts';
import { Tenant } from '../accounts/tenant.ts';
import { StoredFile } from '../files/stored-file.ts';

/**
 * One chunk of a document. Its id derives from its content, so that a chunk whose text did not change keeps its row and
 * its vector. Column `search`, its words by the rules of `dictionary`, and its index are defined by the migration alone.
 */
export const DocumentChunk = defineEntity({
  name: 'DocumentChunk',
  tableName: 'document_chunks',
  indexes: [
    { name: 'document_chunks_file', properties: ['fileId', 'chunkIndex'] },
    { name: 'document_chunks_tenant', properties: ['tenantId', 'dictionary'] },
  ],
  properties: {
    id: p.uuid().primary(),
    fileId: p.manyToOne(StoredFile).mapToPk().fieldName('file_id').deleteRule('cascade'),
    tenantId: p.manyToOne(Tenant).mapToPk().fieldName('tenant_id'),
    /** From 0, without gaps. */
    chunkIndex: p.integer(),
    content: p.text(),
    pageNumbers: p.array<number>((page) => Number(page)).columnType('int[]'),
    headingPath: p.array(),
    tokenCount: p.integer(),
    chunkType: p.enum(CHUNK_TYPES),
    /** Text search configuration of Postgres for its language. */
    dictionary: p.string(),
    embeddingStatus: p.enum(EMBEDDING_STATUSES),
    /** The collection that has its vector. */
    collection: p.string().nullable(),
  },
});
export type DocumentChunk = InferEntity<typeof DocumentChunk>;
