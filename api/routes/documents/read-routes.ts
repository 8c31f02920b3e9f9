import { FILE_ERRORS } from '../../../services/files/find-file.ts';
import {
  findDocument,
  readChunks,
  readDigitization,
  readDocument,
  readPage,
} from '../../../services/documents/read-document.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
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
  digitizationStatus,
  digitizedPage,
  documentText,
  pageParams,
} from '../../resources/document/schema.ts';
import { fileParams } from '../../resources/file/schema.ts';

const DOCUMENT = {
  method: 'get',
  tag: 'Documents',
  permit: 'files.read',
  params: fileParams,
  errors: [...FILE_ERRORS, 'WRONG_MEDIA_TYPE'],
} as const;

/** What was read of one document: its text, its chunks and the structure of its pages. */
export const documentReadRoutes = [
  route({
    ...DOCUMENT,
    path: '/files/:file_id/text',
    operationId: 'getDocumentText',
    summary: 'The text of a document',
    responses: json(200, documentText),
    async handle({ em, principal, params }) {
      const file = await findDocument(em, principal.tenantId, params.file_id, 'text');
      return presentText(file, await readDocument(em, file));
    },
  }),

  route({
    ...DOCUMENT,
    path: '/files/:file_id/chunks',
    operationId: 'listDocumentChunks',
    summary: 'The chunks of a document, which search finds',
    query: chunksQuery,
    responses: json(200, chunksAnswer),
    async handle({ em, deps, principal, params, query }) {
      const file = await findDocument(em, principal.tenantId, params.file_id, 'chunks');
      const { chunks, counts } = await readChunks(em, file);
      const ids = chunks.map(({ id }) => id);
      const { tenantId } = principal;
      const vectors = query.include_embeddings
        ? await deps.chunkVectors.findMany({ tenantId, ids })
        : undefined;
      return {
        document_id: file.id,
        chunks: chunks.map((chunk) => presentChunk(file, chunk, vectors)),
        total_chunks: chunks.length,
        ...(vectors && { status_counts: counts }),
      };
    },
  }),

  route({
    ...DOCUMENT,
    path: '/files/:file_id/digitization',
    operationId: 'getDigitization',
    summary: 'The structure of every page of a document',
    responses: json(200, digitization),
    async handle({ em, principal, params }) {
      const file = await findDocument(em, principal.tenantId, params.file_id, 'digitization');
      return presentDigitization(file, await readDigitization(em, file, { full: true }));
    },
  }),

  route({
    ...DOCUMENT,
    path: '/files/:file_id/digitization/status',
    operationId: 'getDigitizationStatus',
    summary: 'The status of every page of a document',
    responses: json(200, digitizationStatus),
    async handle({ em, principal, params }) {
      const file = await findDocument(em, principal.tenantId, params.file_id, 'digitization');
      return presentDigitizationStatus(file, await readDigitization(em, file, { full: false }));
    },
  }),

  route({
    ...DOCUMENT,
    path: '/files/:file_id/digitization/pages/:page_number',
    operationId: 'getDigitizedPage',
    summary: 'The structure of one page of a document',
    params: pageParams,
    responses: json(200, digitizedPage),
    async handle({ em, principal, params }) {
      const file = await findDocument(em, principal.tenantId, params.file_id, 'digitization');
      return presentPage(await readPage(em, file, params.page_number));
    },
  }),
];
