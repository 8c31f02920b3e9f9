import { findStuckFiles } from '../../../services/processing/find-stuck-files.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { presentUploadStatus } from '../../resources/processing/present.ts';
import { stuckAnswer, stuckQuery } from '../../resources/processing/schema.ts';

const MINUTE_MS = 60_000;

/** Unfinished files without a sign of life, in any session or none. */
export const fileStuckRoute = route({
  method: 'get',
  path: '/files/sessions/stuck',
  operationId: 'listStuckFiles',
  summary: 'List unfinished files without a sign of life, and why',
  tag: 'Processing',
  permit: 'files.read',
  query: stuckQuery,
  responses: json(200, stuckAnswer),
  handle: ({ em, deps: { engine }, principal, query }) =>
    findStuckFiles({ em, engine }, principal.tenantId, {
      patienceMs: query.stuck_minutes * MINUTE_MS,
      limit: query.limit,
    }),
  present: ({ stuck }) => ({ stuck_count: stuck.length, images: stuck.map(presentUploadStatus) }),
});
