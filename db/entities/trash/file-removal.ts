import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { StoredFile } from '../files/stored-file.ts';

/**
 * What is being removed of a deleted file, noted before it goes: so the receipt counts each thing once, whoever dies in
 * between. It goes with the file's row, and a restore crosses it out.
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
    /** Set when the purge takes the file: from here on there is no restore. Null while it lies in the trash. */
    beganAt: p.datetime().nullable(),
    objectKeys: p.array(),
    vectors: p.integer(),
  },
});
export type FileRemoval = InferEntity<typeof FileRemoval>;
