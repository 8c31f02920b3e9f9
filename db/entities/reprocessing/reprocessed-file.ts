import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { ComponentName, FailureReason } from '../../../domain/components.ts';
import { REPROCESSED_FILE_STATUSES } from '../../../domain/reprocessing.ts';
import { StoredFile } from '../files/stored-file.ts';
import { Reprocessing } from './reprocessing.ts';

/**
 * A file of a reprocessing, written in the transaction that opens its generation, so that a file has a row exactly if it
 * was opened, and is opened once.
 */
export const ReprocessedFile = defineEntity({
  name: 'ReprocessedFile',
  tableName: 'reprocessing_files',
  indexes: [
    { name: 'reprocessing_files_of_file', properties: ['fileId'] },
    { name: 'reprocessing_files_by_status', properties: ['reprocessingId', 'status', 'fileId'] },
  ],
  properties: {
    reprocessingId: p
      .manyToOne(Reprocessing)
      .mapToPk()
      .primary()
      .fieldName('reprocessing_id')
      .deleteRule('cascade'),
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    status: p.enum(REPROCESSED_FILE_STATUSES),
    /** The generation that was opened; null if the file was skipped. */
    generation: p.integer().nullable(),
    /** The components that ran again. */
    components: p.array().$type<ComponentName[]>().columnType('text[]'),
    error: p.json<FailureReason>().nullable(),
    /** What a rollback puts back; null when its description did not run again or was missing, and once closed. */
    descriptionBefore: p.text().nullable(),
    describedAtBefore: p.datetime().nullable(),
    tagsBefore: p.array().columnType('text[]').nullable(),
    startedAt: p.datetime(),
    endedAt: p.datetime().nullable(),
  },
});
export type ReprocessedFile = InferEntity<typeof ReprocessedFile>;
