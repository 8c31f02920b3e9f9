import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { AppError } from '../../../domain/app-error.ts';
import { MAX_BASE64_IMAGE_BYTES } from '../../../domain/limits.ts';
import {
  ANALYSIS_LEVELS,
  type AnalysisLevel,
  type UsedSchema,
} from '../../../domain/structured-extraction/extraction.ts';
import { acceptSchema } from '../../../services/structured-extraction/accept-schema.ts';
import {
  EXTRACTION_FAILURES,
  failureOf,
  extractionWork,
} from '../../../services/structured-extraction/extraction-work.ts';
import { listExtractions } from '../../../services/structured-extraction/list-extractions.ts';
import {
  requestExtraction,
  type Content,
} from '../../../services/structured-extraction/request-extraction.ts';
import { findNamedSchema } from '../../../services/structured-extraction/saved-schemas/find-schema.ts';
import { decodeBase64 } from '../../images/decode-base64.ts';
import { checkWebUrl } from '../../http/check-web-url.ts';
import { clientGone } from '../../http/client-gone.ts';
import { route, type Call } from '../../http/route.ts';
import {
  presentExtracted,
  presentExtraction,
  presentListedExtraction,
  extractAnswer,
  extractBody,
  extractionAnswer,
  extractionList,
  extractionListQuery,
  extractionParams,
  extractQuery,
  startedExtraction,
} from '../../resources/structured-extraction.ts';
import { listPage } from '../../resources/fields.ts';
import { presentRequestWebhook, requestWebhookOf } from '../../resources/request-webhook.ts';
import { SCHEMA_BODY_BYTES } from '../../resources/extraction-schema.ts';

/** Base64 is a third longer than its content; data URLs and line breaks add a little. */
const BODY_BYTES = Math.ceil(MAX_BASE64_IMAGE_BYTES * 1.4) + SCHEMA_BODY_BYTES;

const UPLOADED = { hint: 'upload it and use file_id' };

type ExtractBody = z.output<typeof extractBody>;

/** Extraction of data by a client's schema. */
export const extractRoutes = [
  route({
    method: 'post',
    path: '/extract',
    operationId: 'extractData',
    summary: 'Extract data from an image or a document by a JSON Schema, and wait for the result',
    description:
      'Fills in the fields of a JSON Schema from an image or a document and waits up to `timeout` ' +
      'seconds. `citations` says where each value was read.',
    accepted:
      'the extraction takes longer. Poll `GET /extractions/{extraction_id}` until `status` is ' +
      '`completed` or `failed`.',
    cost: 'extraction',
    tag: 'Extraction',
    permit: 'extract.run',
    idempotent: true,
    query: extractQuery,
    body: extractBody,
    maxBodyBytes: BODY_BYTES,
    answers: { 200: extractAnswer, 202: startedExtraction },
    errors: [
      'INVALID_ANALYSIS_LEVEL',
      'INVALID_SCHEMA',
      'CUSTOM_SCHEMA_NOT_FOUND',
      'INVALID_BASE64',
      'IMAGE_NOT_FOUND',
      'FILE_TOO_LARGE',
      'UNSUPPORTED_MEDIA',
      'WORK_IN_PROGRESS',
      'QUOTA_EXHAUSTED',
      ...EXTRACTION_FAILURES,
    ],
    async handle(call) {
      const { ctx, em, deps, principal, query, body, resourceId = randomUUID() } = call;
      const began = Date.now();
      const { objects, engine } = deps;
      const timeoutMs = body.timeout * 1000;
      checkWebUrl(deps, body.image_url, '/body/image_url');
      const extraction = await requestExtraction({ em, objects, engine }, principal, {
        id: resourceId,
        level: levelOf(body),
        schema: await schemaOf(call, body),
        content: contentOf(body),
        prompt: body.prompt || null,
        citations: body.citations || query.citations === true,
        timeoutMs,
        webhook: requestWebhookOf(call, body, 'body'),
      });
      const milliseconds = timeoutMs - (Date.now() - began);
      await extractionWork.wait({ em, engine }, extraction, { milliseconds, signal: clientGone(ctx.res) });
      if (extraction.status === 'failed') throw failureOf(extraction);
      ctx.status = extraction.status === 'completed' ? 200 : 202;
      return extraction;
    },
    async present(extraction, call) {
      const webhook = await presentRequestWebhook(call, call.body, 'extraction', extraction.id);
      return { ...presentExtracted(extraction), ...webhook };
    },
  }),

  route({
    method: 'get',
    path: '/extractions',
    operationId: 'listSchemaExtractions',
    summary: 'List extractions by schemas, newest first',
    tag: 'Extraction',
    permit: 'files.read',
    query: extractionListQuery,
    answers: { 200: extractionList },
    handle: ({ em, principal, query: { file_id: fileId, ...query } }) =>
      listExtractions(em, principal.tenantId, { ...query, fileId }),
    present: ({ extractions, totalCount }, { query }) =>
      listPage(extractions.map(presentListedExtraction), totalCount, query),
  }),

  route({
    method: 'get',
    path: '/extractions/:extraction_id',
    operationId: 'getExtraction',
    summary: 'An extraction, with its result if completed',
    description: 'Poll it until `status` is `completed` or `failed`.',
    tag: 'Extraction',
    permit: 'files.read',
    params: extractionParams,
    answers: { 200: extractionAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ em, deps: { engine }, principal, params }) =>
      extractionWork.find({ em, engine }, principal.tenantId, params.extraction_id),
    present: presentExtraction,
  }),
];

/** "invalid analysis_level: 400" */
function levelOf({ analysis_level: level = 'default' }: ExtractBody): AnalysisLevel {
  const known = ANALYSIS_LEVELS.find((each) => each === level);
  if (known) return known;
  const message = `must be one of ${ANALYSIS_LEVELS.join(', ')}`;
  throw new AppError('INVALID_ANALYSIS_LEVEL', `/body/analysis_level: ${message}`, {
    errors: [{ pointer: '/body/analysis_level', message }],
  });
}

async function schemaOf(
  { em, principal }: Pick<Call<unknown, unknown, unknown>, 'em' | 'principal'>,
  { schema, custom_schema_id: id }: ExtractBody,
): Promise<UsedSchema> {
  if (id !== undefined) return findNamedSchema(em, principal.tenantId, id, 'request');
  return { schema: acceptSchema(schema, '/body/schema'), promptHint: null };
}

/** The source in the body; exactly one of the three is present. */
function contentOf({ image_url: url, image_base64: base64, file_id: fileId }: ExtractBody): Content {
  if (fileId !== undefined) return { kind: 'file', fileId };
  if (url !== undefined) return { kind: 'url', url };
  return { kind: 'base64', bytes: decodeBase64(base64 ?? '', '/body/image_base64', UPLOADED) };
}
