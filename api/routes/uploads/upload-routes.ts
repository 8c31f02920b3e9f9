import { route, publicRoute } from '../../http/route.ts';
import { storeUpload } from '../../multipart/store-upload.ts';
import { presentUpload, presentBatch } from '../../resources/upload/present.ts';
import {
  uploadAnswer,
  uploadForm,
  uploadFormDocument,
  batchAnswer,
  batchForm,
  batchFormDocument,
} from '../../resources/upload/schema.ts';
import { UPLOAD_ERRORS } from '../../multipart/read-upload-request.ts';
import { TIER_LIMITS } from '../../../domain/accounts/tiers.ts';
import { storeBatch } from '../../multipart/store-batch.ts';
import { presentRequestWebhook } from '../../resources/request-webhook.ts';
import { logEventAnswer, logEventBody } from '../../resources/upload-event.ts';

const FIELDS = new Set(Object.keys(uploadForm.shape));

/** One file, streamed straight to the object store; its processing starts automatically. */
export const fileUploadRoute = route({
  method: 'post',
  path: '/files/upload',
  operationId: 'uploadFile',
  summary: 'Upload one file',
  description:
    'Streams one file to the object store and starts its processing. 201 means that the bytes and the ' +
    'row are stored: nothing is lost from then on. Poll `GET /files/{file_id}` until `primary_status` ' +
    'is neither `pending` nor `processing`. Text fields before the file are validated before any byte ' +
    'is stored.',
  cost: 'file',
  tag: 'Uploads',
  permit: 'files.write',
  form: uploadFormDocument,
  answers: { 201: uploadAnswer },
  errors: [...UPLOAD_ERRORS, 'EMPTY_FILE', 'UNSUPPORTED_MEDIA', 'QUOTA_EXHAUSTED'],
  handle: (call) => storeUpload(call, { fields: FIELDS }),
  async present(upload, call) {
    call.ctx.status = 201;
    const webhook = await presentRequestWebhook(call, upload.form, 'file', upload.stored.fileId);
    return { ...presentUpload(upload), ...webhook };
  },
});

const RULES = { fields: new Set(Object.keys(batchForm.shape)), schema: batchForm };

/** Several files in one request, streamed sequentially; their processing starts automatically. */
export const batchUploadRoute = route({
  method: 'post',
  path: '/files/upload/batch',
  operationId: 'uploadBatch',
  summary: 'Upload several files in one request',
  description:
    'Streams several files, each accepted or rejected alone; `rejections` says why. They are an upload ' +
    'session: follow it with `GET /files/sessions/{session_id}/status`, its events, or `GET /ws`. The ' +
    'tier limits how many files a batch may have.',
  cost: 'file',
  tag: 'Uploads',
  permit: 'files.write',
  form: batchFormDocument,
  answers: { 201: batchAnswer },
  errors: [...UPLOAD_ERRORS, 'QUOTA_EXHAUSTED'],
  handle: (call) => storeBatch(call, RULES, TIER_LIMITS[call.principal.tier].filesPerBatch),
  async present(batch, call) {
    call.ctx.status = 201;
    const webhook = await presentRequestWebhook(call, batch.form, 'batch', batch.sessionId);
    return { ...presentBatch(batch), ...webhook };
  },
});

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
  answers: { 200: logEventAnswer },
  admit: ({ ctx, deps }) => deps.eventLimit.admit(ctx),
  async handle({ body, log }) {
    // Nested under one key: untrusted input must not look like the service's own fields.
    log.info({ client_event: body }, 'upload event of a client');
    return { status: 'logged' as const, timestamp: new Date().toISOString() };
  },
});
