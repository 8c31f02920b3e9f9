import { MAX_ANALYZED_BYTES } from '../../../domain/limits.ts';
import { mediaWithStep } from '../../../domain/pipelines/index.ts';
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
import { findPassages } from '../../../services/documents/find-passages.ts';
import { SearchDeadline } from '../../../services/files/search-deadline.ts';
import { findFilesByText } from '../../../services/images/find-files-by-text.ts';
import { MEDIA_IN_INDEX } from '../../../services/images/index-images.ts';
import { findVariants } from '../../../services/images/read-image.ts';
import { presentHit } from '../../resources/document/present.ts';
import { searchAnswer, searchBody } from '../../resources/document/schema.ts';
import { presentFoundFile } from '../../resources/found-file.ts';

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
  summary: 'Search documents for passages that answer a question, and images by what they show',
  description:
    'Finds passages by meaning and by their words, over all documents or some, and with `media_types` also images and ' +
    'videos. While the model or the index cannot be reached, hits are found by words alone, and `ranked_by` or ' +
    '`files_ranked_by` says so.',
  tag: 'Documents',
  permit: 'files.read',
  body: searchBody,
  answers: { 200: searchAnswer },
  errors: ['SEARCH_TIMEOUT'],
  async handle({ ctx, em, deps, principal, body, log }) {
    const began = performance.now();
    const { tenantId } = principal;
    const { query, limit, media_types: media = MEDIA_WITH_PASSAGES } = body;
    const withPassages = MEDIA_WITH_PASSAGES.filter((medium) => media.includes(medium));
    const inIndex = MEDIA_IN_INDEX.filter((medium) => media.includes(medium));
    const onDegraded = (error: unknown) => log.warn({ err: error }, 'the search is by words alone');
    const searchPassages = () =>
      findPassages({ em, ...deps, onDegraded }, tenantId, {
        query,
        limit,
        threshold: body.similarity_threshold,
        rerank: body.rerank,
        documentIds: body.document_ids,
        mediaTypes: withPassages.length < MEDIA_WITH_PASSAGES.length ? withPassages : undefined,
      });
    const searchFiles = async () => {
      const images = await deps.servedImages();
      const search = { tenantId, query, mediaTypes: inIndex };
      const deadline = new SearchDeadline(deps.searchTimeoutMs);
      return findFilesByText({ em, ...images, onDegraded }, search, limit, deadline);
    };
    const [passages, found] = await deps.searches.run(tenantId, clientGone(ctx.res), () =>
      Promise.all([
        withPassages.length > 0 ? searchPassages() : NOT_SEARCHED,
        inIndex.length > 0 ? searchFiles() : NOT_SEARCHED,
      ]),
    );
    const files = found.hits.map(({ file }) => file);
    const thumbnails = files.length > 0 ? await findVariants(em, files, 'small_256') : [];
    return {
      query,
      items: passages.hits.map(presentHit),
      total_count: passages.hits.length,
      ranked_by: passages.rankedBy,
      reranked: passages.reranked,
      files: await Promise.all(found.hits.map((hit) => presentFoundFile(deps.objects, hit, thumbnails))),
      files_ranked_by: found.rankedBy,
      search_time_ms: Math.round(performance.now() - began),
    };
  },
});

/** Media whose text is searched in passages. */
const MEDIA_WITH_PASSAGES = mediaWithStep('indexChunks');
const NOT_SEARCHED = { hits: [], rankedBy: null, reranked: false } as const;
