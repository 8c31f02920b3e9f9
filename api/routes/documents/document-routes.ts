import { MAX_ANALYZED_BYTES } from '../../../domain/limits.ts';
import { readDocument } from '../../../services/documents/read-document.ts';
import { waitForDocument } from '../../../services/documents/document-target.ts';
import { observeFile } from '../../../services/processing/observe-file.ts';
import { UPLOAD_ERRORS } from '../../multipart/read-upload-request.ts';
import { storeDocument } from '../../multipart/store-upload.ts';
import { clientGone } from '../../http/client-gone.ts';
import { route } from '../../http/route.ts';
import { presentRequestWebhook } from '../../resources/request-webhook.ts';
import { jobPath, presentAnalysis } from '../../resources/job/present.ts';
import { analyzeAnswer, analyzeFormDocument, startedJob } from '../../resources/job/schema.ts';
import { searchChunks } from '../../../services/documents/search-chunks.ts';
import { presentHit } from '../../resources/document/present.ts';
import { searchAnswer, searchBody } from '../../resources/document/schema.ts';

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
    description:
      'Uploads a document of up to 10 MB and waits up to `timeout` seconds for its text. If it takes ' +
      'longer, the answer has the `job_id` to poll with `GET /job/{job_id}`; nothing needs to be sent ' +
      'again.',
    cost: 'document',
    answers: { 200: analyzeAnswer },
    streamed: 'at_once',
    async handle(call) {
      const { ctx, em, deps } = call;
      const { engine } = deps;
      const { file, skipped, stored, form, elapsedMs } = await storeDocument(call, MAX_ANALYZED_BYTES);
      const webhook = await presentRequestWebhook(call, form, 'file', stored.fileId);
      const began = performance.now() - elapsedMs;
      const elapsed = () => performance.now() - began;
      if (skipped) return { file, skipped, webhook, elapsedMs: elapsed() };
      const wait = { milliseconds: form.timeout * 1000 - elapsedMs, signal: clientGone(ctx.res) };
      const end = await waitForDocument({ em, engine }, file, wait);
      // The row of a file does not show which work has started.
      if (!end)
        return { ...(await observeFile({ em, engine }, file)), skipped, webhook, elapsedMs: elapsed() };
      const document = await readDocument(em, file);
      return { file, skipped, end, document, webhook, elapsedMs: elapsed() };
    },
    present: presentAnalysis,
  }),

  route({
    ...ANALYZE,
    path: '/files/analyze/async',
    operationId: 'startDocumentAnalysis',
    summary: 'Upload a document and poll its job',
    description: 'Uploads a document and answers at once.',
    accepted:
      'the document is stored and is being read. Poll `GET /job/{job_id}` until `status` is `completed` ' +
      'or `failed`.',
    cost: 'document',
    answers: { 202: startedJob },
    async handle(call) {
      const { file, stored, form } = await storeDocument(call, MAX_ANALYZED_BYTES);
      call.ctx.status = 202;
      const webhook = await presentRequestWebhook(call, form, 'file', stored.fileId);
      return { job_id: file.id, status: 'processing' as const, poll_url: jobPath(file.id), ...webhook };
    },
  }),
];

export const documentSearchRoute = route({
  method: 'post',
  path: '/files/search',
  operationId: 'searchDocuments',
  summary: 'Search documents for passages that answer a question',
  description:
    'Finds passages by meaning and by their words, over all documents or some. While the model or the ' +
    'index cannot be reached, hits are found by words alone, and `ranked_by` says so.',
  tag: 'Documents',
  permit: 'files.read',
  body: searchBody,
  answers: { 200: searchAnswer },
  errors: ['SEARCH_TIMEOUT'],
  async handle({ ctx, em, deps, principal, body, log }) {
    const began = performance.now();
    const { textEmbedding, chunkVectors } = deps;
    const onDegraded = (error: unknown) => log.warn({ err: error }, 'documents are searched by words alone');
    const searched = { em, textEmbedding, chunkVectors, onDegraded };
    const { tenantId } = principal;
    const { hits, rankedBy } = await deps.searches.run(tenantId, clientGone(ctx.res), () =>
      searchChunks(searched, tenantId, {
        query: body.query,
        limit: body.limit,
        threshold: body.similarity_threshold,
        documentIds: body.document_ids,
        timeoutMs: deps.searchTimeoutMs,
      }),
    );
    return {
      query: body.query,
      items: hits.map(presentHit),
      total_count: hits.length,
      ranked_by: rankedBy,
      search_time_ms: Math.round(performance.now() - began),
    };
  },
});
