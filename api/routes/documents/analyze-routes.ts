import { MAX_ANALYZED_BYTES } from '../../../domain/limits.ts';
import { readDocument } from '../../../services/documents/read-document.ts';
import { waitForDocument } from '../../../services/documents/wait-for-document.ts';
import { observeFile } from '../../../services/processing/observe-file.ts';
import { UPLOAD_ERRORS } from '../../multipart/read-upload-request.ts';
import { storeDocument } from '../../multipart/store-upload.ts';
import { clientGone } from '../../http/client-gone.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { jobPath, presentAnalysis } from '../../resources/job/present.ts';
import { analyzeAnswer, analyzeFormDocument, startedJob } from '../../resources/job/schema.ts';

const ANALYZE = {
  method: 'post',
  tag: 'Documents',
  permit: 'files.write',
  form: analyzeFormDocument,
  errors: [...UPLOAD_ERRORS, 'EMPTY_FILE', 'UNSUPPORTED_MEDIA', 'QUOTA_EXHAUSTED'],
} as const;

/** Upload and analysis of one document in one request. */
export const documentAnalyzeRoutes = [
  route({
    ...ANALYZE,
    path: '/files/analyze',
    operationId: 'analyzeDocument',
    summary: 'Upload a document and wait for its text',
    responses: json(200, analyzeAnswer),
    streamed: 'at_once',
    async handle(call) {
      const { ctx, em, deps } = call;
      const { engine } = deps;
      const { file, skipped, form, elapsedMs } = await storeDocument(call, MAX_ANALYZED_BYTES);
      const began = performance.now() - elapsedMs;
      const elapsed = () => performance.now() - began;
      if (skipped) return { file, skipped, elapsedMs: elapsed() };
      const wait = { milliseconds: form.timeout * 1000 - elapsedMs, signal: clientGone(ctx.res) };
      const end = await waitForDocument({ em, engine }, file, wait);
      // The row of a file does not show which work has started.
      if (!end) return { ...(await observeFile({ em, engine }, file)), skipped, elapsedMs: elapsed() };
      const document = await readDocument(em, file);
      return { file, skipped, end, document, elapsedMs: elapsed() };
    },
    present: presentAnalysis,
  }),

  route({
    ...ANALYZE,
    path: '/files/analyze/async',
    operationId: 'startDocumentAnalysis',
    summary: 'Upload a document and poll its job',
    responses: json(202, startedJob),
    async handle(call) {
      const { file } = await storeDocument(call, MAX_ANALYZED_BYTES);
      call.ctx.status = 202;
      return { job_id: file.id, status: 'processing', poll_url: jobPath(file.id) };
    },
  }),
];
