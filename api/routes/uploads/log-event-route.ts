import { json } from '../../http/responses.ts';
import { publicRoute } from '../../http/route.ts';
import { logEventAnswer, logEventBody } from '../../resources/upload-event/schema.ts';

const MAX_BODY_BYTES = 32 * 1024;

/**
 * What upload clients want to tell: one line of the log and nothing else, so that it costs little and works while
 * everything behind the API is down.
 */
export const logEventRoute = publicRoute({
  method: 'post',
  path: '/files/log-upload-event',
  operationId: 'logUploadEvent',
  summary: 'Note an event of an upload client in the log',
  tag: 'Uploads',
  maxBodyBytes: MAX_BODY_BYTES,
  dropProto: true,
  body: logEventBody,
  responses: json(200, logEventAnswer),
  admit: ({ ctx, deps }) => deps.eventLimit.admit(ctx),
  async handle({ body, log }) {
    // Under one name: words of strangers must not look like fields of ours.
    log.info({ client_event: body }, 'upload event of a client');
    return { status: 'logged', timestamp: new Date().toISOString() };
  },
});
