import type { z } from 'zod';
import { LIVE_ACTION } from '../../live/channel.ts';
import { exportFrame, extractionFrame, fileFrame, uploadSessionFrame } from '../../live/messages.ts';
import { lastEventId, streamEvents } from '../../live/stream-events.ts';
import { eventStream, noContent } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { exportParams } from '../../resources/export/schema.ts';
import { fileParams } from '../../resources/file/schema.ts';
import { extractionParams } from '../../resources/structured-extraction.ts';
import { sessionParams } from '../../resources/upload-session/schema.ts';
import { FILE_OR_UPLOAD_ERRORS } from '../../../services/files/find-file.ts';

const COMMON = {
  method: 'get',
  description:
    'The frames of the live channel as server-sent events. Reconnect with `Last-Event-ID`; 204 means that the ' +
    'channel has ended and the client has seen its last frame.',
  permit: LIVE_ACTION,
  headers: lastEventId,
} as const;

/** @param frames names of the events in words */
function answers(resource: string, frames: string, frame: z.ZodType) {
  const events = 'Events named after the `type` of the frame in their `data`, which has this schema';
  return {
    200: eventStream(`${events}: ${frames}`, frame),
    // Clients must not reconnect.
    204: noContent(`The ${resource} has ended, and \`Last-Event-ID\` is that of its last frame`),
  };
}

/** The live channel of an upload session as server-sent events. */
export const sessionEventsRoute = route({
  ...COMMON,
  path: '/files/sessions/:session_id/events',
  operationId: 'streamUploadSessionEvents',
  summary: 'Stream the events of an upload session',
  tag: 'Upload sessions',
  params: sessionParams,
  answers: answers(
    'session',
    'a `snapshot` first, then `file.status` and `batch.progress`, one last `batch.terminal`',
    uploadSessionFrame,
  ),
  errors: ['NOT_FOUND', 'TOO_MANY_CONNECTIONS'],
  handle: (call) => streamEvents(call, 'batch', call.params.session_id),
});

/** The live channels of single resources as server-sent events. */
export const resourceEventsRoutes = [
  route({
    ...COMMON,
    path: '/files/:file_id/events',
    operationId: 'streamFileEvents',
    summary: 'Stream the processing status of a file until it has ended',
    tag: 'Processing',
    params: fileParams,
    answers: answers(
      'file',
      'a `snapshot` first, then `file.status` after each change, one last `file.terminal`',
      fileFrame,
    ),
    errors: [...FILE_OR_UPLOAD_ERRORS, 'TOO_MANY_CONNECTIONS'],
    handle: (call) => streamEvents(call, 'file', call.params.file_id),
  }),

  route({
    ...COMMON,
    path: '/extractions/:extraction_id/events',
    operationId: 'streamExtractionEvents',
    summary: 'Stream an extraction until it has its result',
    tag: 'Extraction',
    params: extractionParams,
    answers: answers(
      'extraction',
      'a `snapshot` first, then `extraction.status` after each change, one last `extraction.terminal`',
      extractionFrame,
    ),
    errors: ['NOT_FOUND', 'TOO_MANY_CONNECTIONS'],
    handle: (call) => streamEvents(call, 'extraction', call.params.extraction_id),
  }),

  route({
    ...COMMON,
    path: '/data/export/:export_id/events',
    operationId: 'streamExportEvents',
    summary: 'Stream the progress of an export until it has ended',
    tag: 'Exports',
    params: exportParams,
    answers: answers(
      'export',
      'a `snapshot` first, then `export.status` after each change, one last `export.terminal`',
      exportFrame,
    ),
    errors: ['NOT_FOUND', 'TOO_MANY_CONNECTIONS'],
    handle: (call) => streamEvents(call, 'export', call.params.export_id),
  }),
];
