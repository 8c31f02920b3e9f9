import { findFile, FILE_ERRORS } from '../../../services/files/find-file.ts';
import { requireDocument } from '../../../services/documents/read-document.ts';
import { observeFile } from '../../../services/processing/observe-file.ts';
import { retryFile } from '../../../services/processing/retry-file.ts';
import { startFileWork } from '../../../services/processing/start-file-work.ts';
import { fileWorkflowId } from '../../../temporal/contract/ids.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { fileParams } from '../../resources/file/schema.ts';
import { retryAnswer, retryBody } from '../../resources/processing/schema.ts';

/** Retries failed components only, unless others are requested. */
export const fileRetryRoute = route({
  method: 'post',
  path: '/files/:file_id/retry',
  operationId: 'retryFile',
  summary: 'Retry the failed or the named components of a file, or pages of a document',
  tag: 'Processing',
  permit: 'files.write',
  params: fileParams,
  body: retryBody,
  responses: json(202, retryAnswer),
  errors: [...FILE_ERRORS, 'NOTHING_TO_RETRY', 'WRONG_MEDIA_TYPE', 'QUOTA_EXHAUSTED'],
  async handle({ ctx, em, deps, principal, params, body }) {
    const found = await findFile(em, principal.tenantId, params.file_id);
    // A run that ended from outside must be reconciled before it can be retried.
    await observeFile({ em, engine: deps.engine }, found);
    const { pages, components } = body;
    if (pages) requireDocument(found, 'pages');
    const requested = pages ? (['text_extraction'] as const) : components;
    const redo = pages ?? (components?.includes('text_extraction') ? 'all' : 'failed');
    const { file, retried } = await retryFile(em, principal, found, requested, redo);
    await startFileWork({ em, engine: deps.engine }, file, 'interactive');
    ctx.status = 202;
    return {
      file_id: file.id,
      workflow_id: fileWorkflowId(file.id),
      generation: file.generation,
      retried,
      primary_status: file.primaryStatus,
    };
  },
});
