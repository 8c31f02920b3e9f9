import { findFileOrUpload } from '../../../services/files/find-file-or-upload.ts';
import { findStuckFiles } from '../../../services/processing/find-stuck-files.ts';
import { readUnifiedStatus } from '../../../services/processing/read-unified-status.ts';
import { createQueuePolls } from '../../../temporal/status/queue-polls.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { stuckQuery, uploadStatusQuery } from '../../resources/processing/schema.ts';
import { presentUploadingImage } from '../../resources/presigned-upload/present.ts';
import { presentLegacyStatus } from './present.ts';
import { imageParams, legacyStuckAnswer, legacyUploadStatus } from './schema.ts';

const POLLS_DEADLINE_MS = 1000;
const MINUTE_MS = 60_000;

/** Where files stand, in the words of older clients. */
export const legacyStatusRoutes = [
  route({
    method: 'get',
    path: '/uploads/status/:image_id',
    operationId: 'legacyGetUploadStatus',
    summary: 'One image from upload to end; now GET /files/uploads-status/{file_id}',
    permission: 'VIEW',
    params: imageParams,
    query: uploadStatusQuery,
    responses: json(200, legacyUploadStatus),
    async handle({ em, deps: { engine }, principal, params, query }) {
      const found = await findFileOrUpload(em, principal.tenantId, params.image_id);
      if ('uploading' in found) return presentUploadingImage(found.uploading);
      const { file } = found;
      const polls = createQueuePolls(engine, POLLS_DEADLINE_MS);
      const patienceMs = query.stuck_minutes * MINUTE_MS;
      return presentLegacyStatus(await readUnifiedStatus({ em, engine, polls }, file, patienceMs));
    },
  }),

  route({
    method: 'get',
    path: '/uploads/stuck-uploads',
    operationId: 'legacyListStuckUploads',
    summary: 'Images that are not done and show no sign of life; now GET /files/sessions/stuck',
    permission: 'VIEW',
    query: stuckQuery,
    responses: json(200, legacyStuckAnswer),
    async handle({ em, deps: { engine }, principal, query }) {
      const { stuck } = await findStuckFiles({ em, engine }, principal.tenantId, {
        patienceMs: query.stuck_minutes * MINUTE_MS,
        limit: query.limit,
      });
      return { stuck_count: stuck.length, images: stuck.map(presentLegacyStatus) };
    },
  }),
];
