import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { TimelineRun } from '../../../domain/timeline.ts';
import { StoredFile } from '../files/stored-file.ts';

/** The compact timeline of each ended run. */
export const FileTimeline = defineEntity({
  name: 'FileTimeline',
  tableName: 'file_timelines',
  properties: {
    fileId: p.manyToOne(StoredFile).mapToPk().primary().fieldName('file_id').deleteRule('cascade'),
    generation: p.integer().primary(),
    run: p.json<TimelineRun>(),
  },
});
export type FileTimeline = InferEntity<typeof FileTimeline>;
