import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { FailureReason } from '../../../domain/components.ts';
import { ITEM_OUTCOMES, ITEM_STATES } from '../../../domain/upload-sessions/upload-session.ts';
import { UploadSession } from './upload-session.ts';

/** One file of an upload session as it arrived, recorded independently of the file's row. */
export const UploadSessionItem = defineEntity({
  name: 'UploadSessionItem',
  tableName: 'upload_session_items',
  indexes: [
    {
      name: 'upload_session_items_file',
      expression:
        'create index "upload_session_items_file" on "upload_session_items" ("file_id") where "file_id" is not null',
    },
  ],
  properties: {
    sessionId: p
      .manyToOne(UploadSession)
      .mapToPk()
      .primary()
      .fieldName('session_id')
      .updateRule('no action')
      .deleteRule('cascade'),
    /** Position among the file parts of the request, from 0. */
    index: p.integer().primary(),
    filename: p.string(),
    state: p.enum(ITEM_STATES),
    /** Its own file, or the existing one if skipped. No foreign key: the item outlives a purge of the file. */
    fileId: p.uuid().nullable(),
    error: p.json<FailureReason>().nullable(),
    /** Whether uploading it again may succeed. */
    retryable: p.boolean(),
    /** Outcome of the item when its file was purged, and the file's share of the version; null before. */
    purgedAs: p.enum(ITEM_OUTCOMES).nullable(),
    purgedVersion: p.bigint('number').nullable(),
    createdAt: p.datetime(),
  },
});
export type UploadSessionItem = InferEntity<typeof UploadSessionItem>;
