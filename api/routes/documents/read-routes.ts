import type { VectorIndex } from '../../../adapters/vector-index/vector-index.ts';
import { FILE_ERRORS } from '../../../services/files/find-file.ts';
import {
  findDocument,
  findReadFile,
  countChunks,
  readDigitization,
  readDocument,
  readPage,
  readPagesInOrder,
  readPageStatuses,
  walkChunks,
  type ShownChunk,
} from '../../../services/documents/read-document.ts';
import { findPageImage, makePageImage } from '../../../services/documents/find-page-image.ts';
import { clientGone } from '../../http/client-gone.ts';
import { redirect } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { listOf } from '../../http/streamed.ts';
import {
  presentChunk,
  presentDigitization,
  presentDigitizationStatus,
  presentPage,
  presentText,
} from '../../resources/document/present.ts';
import {
  chunksAnswer,
  chunksQuery,
  digitization,
  digitizationQuery,
  digitizationStatus,
  digitizedPage,
  documentText,
  pageImageQuery,
  pageParams,
} from '../../resources/document/schema.ts';
import { variantUrl } from '../../resources/file/present.ts';
import { fileParams } from '../../resources/file/schema.ts';

const DOCUMENT = {
  method: 'get',
  tag: 'Documents',
  permit: 'files.read',
  params: fileParams,
  errors: [...FILE_ERRORS, 'WRONG_MEDIA_TYPE'],
} as const;

/** The content of one document: its text, its chunks and the structure of its pages. */
export const documentReadRoutes = [
  route({
    ...DOCUMENT,
    path: '/files/:file_id/text',
    operationId: 'getDocumentText',
    summary: 'The text of a document or of the page of a link',
    answers: { 200: documentText },
    streamed: 'in_turn',
    async handle({ em, principal, params }) {
      const file = await findReadFile(em, principal.tenantId, params.file_id, 'text');
      return presentText(file, await readDocument(em, file));
    },
  }),

  route({
    ...DOCUMENT,
    path: '/files/:file_id/chunks',
    operationId: 'listDocumentChunks',
    summary: 'The searchable chunks of a document or link',
    query: chunksQuery,
    answers: { 200: chunksAnswer },
    streamed: 'in_turn',
    async handle({ em, deps, principal, params, query }) {
      const file = await findReadFile(em, principal.tenantId, params.file_id, 'chunks');
      const { offset, limit } = query;
      const counts = await countChunks(em, file.id);
      const counted = counts.completed + counts.pending + counts.failed;
      const vectors = query.include_embeddings ? (await deps.servedChunks()).chunkVectors : undefined;
      const { list, total } = await listOf(
        withVectors(vectors, walkChunks(em, file.id, { offset, limit })),
        ({ chunk, vector }) => presentChunk(file, chunk, vector),
        Math.max(0, Math.min(limit ?? counted, counted - offset)),
      );
      return {
        document_id: file.id,
        chunks: list,
        total_chunks: offset === 0 && limit === undefined ? total : counted,
        ...(vectors && { status_counts: counts }),
      };
    },
  }),

  route({
    ...DOCUMENT,
    path: '/files/:file_id/digitization',
    operationId: 'getDigitization',
    summary: 'The structure of every page of a document',
    query: digitizationQuery,
    answers: { 200: digitization },
    streamed: 'in_turn',
    async handle({ em, principal, params, query }) {
      const file = await findDocument(em, principal.tenantId, params.file_id, 'digitization');
      const state = await readDigitization(em, file);
      return presentDigitization(file, state, readPagesInOrder(em, file.id), query.element_types);
    },
  }),

  route({
    ...DOCUMENT,
    path: '/files/:file_id/digitization/status',
    operationId: 'getDigitizationStatus',
    summary: 'The status of every page of a document',
    answers: { 200: digitizationStatus },
    async handle({ em, principal, params }) {
      const file = await findDocument(em, principal.tenantId, params.file_id, 'digitization');
      return presentDigitizationStatus(
        file,
        await readDigitization(em, file),
        await readPageStatuses(em, file.id),
      );
    },
  }),

  route({
    ...DOCUMENT,
    path: '/files/:file_id/digitization/pages/:page_number',
    operationId: 'getDigitizedPage',
    summary: 'The structure of one page of a document',
    params: pageParams,
    answers: { 200: digitizedPage },
    async handle({ em, principal, params }) {
      const file = await findDocument(em, principal.tenantId, params.file_id, 'digitization');
      return presentPage(await readPage(em, file, params.page_number));
    },
  }),

  route({
    ...DOCUMENT,
    path: '/files/:file_id/pages/:page_number/image',
    operationId: 'getPageImage',
    summary: 'Redirect to the picture of one page of a document',
    description:
      'The page as a PDF or TIFF shows it; a page of any other document is set from its text, without the design of its ' +
      'maker. It is drawn on the first request, in the next of a few widths, and kept. Redirects to a URL that is valid ' +
      'for one hour and needs no key. Costs no credits.',
    params: pageParams,
    query: pageImageQuery,
    answers: { 302: redirect('Temporary URL of the picture, valid for one hour') },
    errors: [...DOCUMENT.errors, 'PAGE_NOT_DRAWN'],
    async handle({ ctx, em, deps, principal, params, query }) {
      const file = await findDocument(em, principal.tenantId, params.file_id, 'pages');
      const page = await readPage(em, file, params.page_number);
      const gone = clientGone(ctx.res);
      const picture =
        (await findPageImage(em, page, query.width)) ??
        (await deps.pageImages.run(principal.tenantId, gone, () =>
          makePageImage({ em, engine: deps.engine }, file, page, query.width, gone),
        ));
      ctx.redirect(await variantUrl(deps.objects, picture));
    },
  }),
];

/** Chunks whose vectors are read and serialised at a time: a vector takes ten times as much room as its text. */
const VECTORS_AT_ONCE = 50;

/** Chunks with their vectors on request; null for a chunk without one. */
async function* withVectors(
  index: Pick<VectorIndex, 'findMany'> | undefined,
  pages: AsyncIterable<readonly ShownChunk[]>,
): AsyncGenerator<{ chunk: ShownChunk; vector?: number[] | null }[]> {
  for await (const chunks of pages) {
    if (!index) {
      yield chunks.map((chunk) => ({ chunk }));
      continue;
    }
    for (let start = 0; start < chunks.length; start += VECTORS_AT_ONCE) {
      const some = chunks.slice(start, start + VECTORS_AT_ONCE);
      const [tenantId, ids] = [some[0]?.tenantId ?? '', some.map(({ id }) => id)];
      const vectors = await index.findMany({ tenantId, ids });
      yield some.map((chunk) => ({ chunk, vector: vectors.get(chunk.id) ?? null }));
    }
  }
}
