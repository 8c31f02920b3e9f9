import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { StoredFile } from '../files/stored-file.ts';

/**
 * Resources of a deleted file to remove, recorded before removal so that the receipt counts everything once, even after
 * a crash in between. Deleted with the file's row, or by a restore.
 */
export const FileRemoval = defineEntity({
  name: 'FileRemoval',
  tableName: 'file_removals',
  indexes: [
    {
      name: 'file_removals_begun',
      expression:
        'create index "file_removals_begun" on "file_removals" ("began_at") where "began_at" is not null',
    },
  ],
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    /** Set when a purge claims the file, after which it cannot be restored; null while it is only in the trash. */
    beganAt: p.datetime().nullable(),
    objectKeys: p.array(),
    vectors: p.integer(),
  },
});
export type FileRemoval = InferEntity<typeof FileRemoval>;
