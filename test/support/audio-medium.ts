import { NO_OWN_FIELDS, presentFileDetail } from '../../api/resources/file/present.ts';
import { jobFields } from '../../api/resources/job-fields.ts';
import { registerPresenter } from '../../api/resources/media.ts';
import type { MediumPresenter } from '../../api/resources/medium-presenter.ts';
import { registerMedium } from '../../services/media/medium.ts';
import { sql } from '../../services/shared/sql.ts';
import { registerAudio } from './audio-pipeline.ts';

/** Registers a minimal medium with its presenter, without an index, tables or pages. */
export function registerAudioMedium(): void {
  registerAudio();
  registerMedium({
    mediaType: 'audio',
    ownTables: [],
    exports: { joins: sql``, columns: { duration_seconds: sql`f.size_bytes::int` } },
  });
  // No schema of the API has its response.
  const presenter = {
    listItems: async (...[, files]: Parameters<MediumPresenter['listItems']>) =>
      new Map(files.map(({ id }) => [id, NO_OWN_FIELDS])),
    detail: async (...[, detail]: Parameters<MediumPresenter['detail']>) => ({
      ...presentFileDetail(detail),
      media_type: 'audio',
    }),
    job: async (...[, jobId, { file, components }]: Parameters<MediumPresenter['job']>) => ({
      ...jobFields(jobId, 'document', file.createdAt),
      job_type: file.mediaType,
      status: Object.values(components).every(({ status }) => status === 'completed')
        ? 'completed'
        : 'processing',
    }),
  };
  registerPresenter('audio', presenter as unknown as MediumPresenter);
}
