import { NO_OWN_FIELDS, presentFileDetail } from '../../api/resources/file/present.ts';
import { jobFields } from '../../api/resources/job-fields.ts';
import { registerPresenter } from '../../api/resources/media.ts';
import { registerMedium } from '../../services/media/medium.ts';
import { sql } from '../../services/shared/sql.ts';
import { registerAudio } from './audio-pipeline.ts';

/** The least that a medium implements, with its presenter: it has no index, no tables and no pages. */
export function registerAudioMedium(): void {
  registerAudio();
  registerMedium({
    mediaType: 'audio',
    ownTables: [],
    exports: { joins: sql``, columns: { duration_seconds: sql`f.size_bytes::int` } },
  });
  registerPresenter('audio', {
    listItems: async (_deps, files) => new Map(files.map(({ id }) => [id, NO_OWN_FIELDS])),
    detail: async (_deps, detail) => ({ ...presentFileDetail(detail), media_type: 'audio' }),
    job: async (_em, jobId, { file, components }) => ({
      ...jobFields(jobId, file.mediaType, file.createdAt),
      status: Object.values(components).every(({ status }) => status === 'completed')
        ? 'completed'
        : 'processing',
    }),
  });
}
