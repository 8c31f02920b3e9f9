import { findFile } from '../../../services/files/find-file.ts';
import { readProcessingStatus } from '../../../services/processing/read-processing-status.ts';
import { readFileTimeline } from '../../../services/processing/read-file-timeline.ts';
import { readUnifiedStatus } from '../../../services/processing/read-unified-status.ts';
import { createQueuePolls } from '../../../temporal/status/queue-polls.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import {
  presentProcessingStatus,
  presentTimeline,
  presentUploadStatus,
} from '../../resources/processing/present.ts';
import { fileParams } from '../../resources/file/schema.ts';
import {
  processingStatus,
  timelineAnswer,
  uploadStatus,
  uploadStatusQuery,
} from '../../resources/processing/schema.ts';

const POLLS_DEADLINE_MS = 1000;
const MINUTE_MS = 60_000;

/** One file from upload to end. */
export const uploadStatusRoute = route({
  method: 'get',
  path: '/files/uploads-status/:file_id',
  operationId: 'getUploadStatus',
  summary: 'One file from upload to end, and whether it is stuck and why',
  tag: 'Processing',
  permission: 'VIEW',
  params: fileParams,
  query: uploadStatusQuery,
  responses: json(200, uploadStatus),
  async handle({ em, deps, principal, params, query }) {
    const { engine } = deps;
    const file = await findFile(em, principal.tenantId, params.file_id);
    const polls = createQueuePolls(engine, POLLS_DEADLINE_MS);
    const patienceMs = query.stuck_minutes * MINUTE_MS;
    return readUnifiedStatus({ em, engine, polls }, file, patienceMs);
  },
  present: presentUploadStatus,
});

/** Where a file stands: from upload to end, and component by component. */
export const fileStatusRoutes = [
  uploadStatusRoute,

  route({
    method: 'get',
    path: '/files/:file_id/processing-status',
    operationId: 'getProcessingStatus',
    summary: 'Every component and step of one file, and what it waits for',
    tag: 'Processing',
    permission: 'VIEW',
    params: fileParams,
    responses: json(200, processingStatus),
    async handle({ em, deps, principal, params }) {
      const file = await findFile(em, principal.tenantId, params.file_id);
      return presentProcessingStatus(file, await readProcessingStatus({ em, engine: deps.engine }, file));
    },
  }),

  route({
    method: 'get',
    path: '/files/:file_id/timeline',
    operationId: 'getFileTimeline',
    summary: 'What happened to a file, and what it waits for',
    tag: 'Processing',
    permission: 'VIEW',
    params: fileParams,
    responses: json(200, timelineAnswer),
    async handle({ em, deps, principal, params }) {
      const file = await findFile(em, principal.tenantId, params.file_id);
      return presentTimeline(file, await readFileTimeline({ em, engine: deps.engine }, file));
    },
  }),
];
