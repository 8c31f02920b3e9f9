import { json } from '../../http/responses.ts';
import { publicRoute } from '../../http/route.ts';
import { logEventAnswer, logEventBody } from '../../resources/upload-event.ts';

const MAX_BODY_BYTES = 32 * 1024;

/** Telemetry of upload clients: only logged, so that it is cheap and works while everything behind the API is down. */
export const logEventRoute = publicRoute({
  method: 'post',
  path: '/files/log-upload-event',
  operationId: 'logUploadEvent',
  summary: 'Log an event of an upload client',
  tag: 'Uploads',
  maxBodyBytes: MAX_BODY_BYTES,
  dropProto: true,
  body: logEventBody,
  responses: json(200, logEventAnswer),
  admit: ({ ctx, deps }) => deps.eventLimit.admit(ctx),
  async handle({ body, log }) {
    // Nested under one key: untrusted input must not look like the service's own fields.
    log.info({ client_event: body }, 'upload event of a client');
    return { status: 'logged', timestamp: new Date().toISOString() };
  },
});
