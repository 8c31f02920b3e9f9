import { roleAllows } from '../../../domain/accounts/permissions.ts';
import { FILE_OR_UPLOAD_ERRORS } from '../../../services/files/find-file.ts';
import { timelineOf } from '../../../services/processing/timeline-of.ts';
import { unifiedStatusOf } from '../../../services/processing/unified-status-of.ts';
import { observeFileOrUpload } from '../../../services/direct-uploads/observe-file-or-upload.ts';
import { createLastSeenOf } from '../../../temporal/status/task-queues.ts';
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
  stuckAnswer,
  stuckQuery,
} from '../../resources/processing/schema.ts';
import { findStuckFiles } from '../../../services/processing/find-stuck-files.ts';

const QUEUES_DEADLINE_MS = 1000;
const MINUTE_MS = 60_000;

export const uploadStatusRoute = route({
  method: 'get',
  path: '/files/uploads-status/:file_id',
  operationId: 'getUploadStatus',
  summary: 'Status of one file from upload to end, and whether and why it is stuck',
  tag: 'Processing',
  permit: 'files.read',
  params: fileParams,
  query: uploadStatusQuery,
  answers: { 200: uploadStatus },
  errors: [...FILE_OR_UPLOAD_ERRORS],
  async handle({ em, deps, principal, params, query }) {
    const { objects, engine } = deps;
    const lastSeenOf = createLastSeenOf(engine, QUEUES_DEADLINE_MS);
    const patienceMs = query.stuck_minutes * MINUTE_MS;
    const seen = await observeFileOrUpload({ em, objects, engine }, principal.tenantId, params.file_id);
    return unifiedStatusOf({ em, lastSeenOf }, seen, patienceMs);
  },
  present: presentUploadStatus,
});

/** Status of a file: from upload to end, and component by component. */
export const fileStatusRoutes = [
  uploadStatusRoute,

  route({
    method: 'get',
    path: '/files/:file_id/processing-status',
    operationId: 'getProcessingStatus',
    summary: 'Every component and step of one file, and what it is waiting for',
    description:
      'Shows components and steps with their attempts, from the rows and from the engine; `explanation` ' +
      'is one sentence about what the file waits for.',
    tag: 'Processing',
    permit: 'files.read',
    params: fileParams,
    answers: { 200: processingStatus },
    errors: [...FILE_OR_UPLOAD_ERRORS],
    handle: ({ em, deps: { objects, engine }, principal, params }) =>
      observeFileOrUpload({ em, objects, engine }, principal.tenantId, params.file_id),
    present: (seen, { em }) => presentProcessingStatus(em, seen),
  }),

  route({
    method: 'get',
    path: '/files/:file_id/timeline',
    operationId: 'getFileTimeline',
    summary: 'Every run of a file, and what it is waiting for',
    description:
      'Shows every run with its steps, attempts, errors and durations. `explanation` is one sentence: ' +
      'why the file is not done.',
    tag: 'Processing',
    permit: 'files.read',
    params: fileParams,
    answers: { 200: timelineAnswer },
    errors: [...FILE_OR_UPLOAD_ERRORS],
    async handle({ em, deps, principal, params }) {
      const { objects, engine } = deps;
      const seen = await observeFileOrUpload({ em, objects, engine }, principal.tenantId, params.file_id);
      const isOperator = roleAllows(principal.role, 'ADMIN');
      return presentTimeline(await timelineOf(em, seen), isOperator ? deps.workflowUrl : () => null);
    },
  }),
];

/** Unfinished files without a sign of life, in any session or none. */
export const fileStuckRoute = route({
  method: 'get',
  path: '/files/sessions/stuck',
  operationId: 'listStuckFiles',
  summary: 'List unfinished files without a sign of life, and why',
  tag: 'Processing',
  permit: 'files.read',
  query: stuckQuery,
  answers: { 200: stuckAnswer },
  handle: ({ em, deps, principal, query }) =>
    findStuckFiles({ em, ...deps }, principal.tenantId, {
      patienceMs: query.stuck_minutes * MINUTE_MS,
      limit: query.limit,
    }),
  present: ({ stuck }) => ({ stuck_count: stuck.length, images: stuck.map(presentUploadStatus) }),
});
