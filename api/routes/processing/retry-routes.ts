import { findFile, FILE_ERRORS } from '../../../services/files/find-file.ts';
import { reconcileFile, unlessUnanswered } from '../../../services/processing/reconcile-file.ts';
import { READ_DEADLINE_MS } from '../../../temporal/deadlines.ts';
import { retryFile } from '../../../services/processing/retry-file.ts';
import { startFileWork } from '../../../services/processing/start-file-work.ts';
import { route } from '../../http/route.ts';
import { fileParams } from '../../resources/file/schema.ts';
import { retryAnswer, retryBody, triggerVariantsAnswer } from '../../resources/processing/schema.ts';
import { triggerVariants, type VariantsTrigger } from '../../../services/images/trigger-variants.ts';
import { FILE_WORKFLOWS } from '../../../temporal/contract/process-file.ts';

/** Retries failed components only, unless others are requested. */
export const fileRetryRoute = route({
  method: 'post',
  path: '/files/:file_id/retry',
  operationId: 'retryFile',
  summary: 'Retry the failed or the named components of a file, or pages of a document',
  description:
    'Starts another run of a file that has ended: of all failed components, of those that are named, or ' +
    'of single pages of a document. Results of the other pages and components stay.',
  accepted:
    'the run is accepted. Poll `GET /files/{file_id}` until `primary_status` is neither `pending` nor ' +
    '`processing`; `GET /files/{file_id}/timeline` shows each run.',
  cost: 'retry',
  tag: 'Processing',
  permit: 'files.write',
  params: fileParams,
  body: retryBody,
  answers: { 202: retryAnswer },
  errors: [...FILE_ERRORS, 'NOTHING_TO_RETRY', 'WRONG_MEDIA_TYPE', 'QUOTA_EXHAUSTED'],
  async handle({ ctx, em, deps: { engine }, principal, params, body }) {
    const found = await findFile(em, principal.tenantId, params.file_id);
    // A run that ended from outside must be reconciled before it can be retried.
    await reconcileFile({ em, engine }, found, READ_DEADLINE_MS).catch(unlessUnanswered);
    const { file, retried } = await retryFile(em, principal, found, body);
    await startFileWork({ em, engine }, file, 'interactive');
    ctx.status = 202;
    return {
      file_id: file.id,
      workflow_id: FILE_WORKFLOWS.of(file.id),
      generation: file.generation,
      retried,
      primary_status: file.primaryStatus,
    };
  },
});

export const fileTriggerVariantsRoute = route({
  method: 'post',
  path: '/files/:file_id/trigger-variants',
  operationId: 'triggerVariants',
  summary: 'Render the variants of an image again',
  description:
    'Renders thumbnails and previews again, as one more run of the file. If the file is being ' +
    'processed, nothing is started.',
  cost: 'retry',
  tag: 'Processing',
  permit: 'files.write',
  params: fileParams,
  answers: { 200: triggerVariantsAnswer },
  errors: [...FILE_ERRORS, 'WRONG_MEDIA_TYPE', 'QUOTA_EXHAUSTED'],
  async handle({ em, deps, principal, params }) {
    const file = await findFile(em, principal.tenantId, params.file_id);
    const trigger = await triggerVariants({ em, engine: deps.engine }, principal, file);
    return {
      success: trigger.outcome !== 'busy',
      message: message(trigger),
      task_id: FILE_WORKFLOWS.of(file.id),
      current_status: trigger.status,
      image_id: file.id,
      skipped_duplicate: trigger.outcome !== 'queued',
    };
  },
});

function message(trigger: VariantsTrigger): string {
  switch (trigger.outcome) {
    case 'queued':
      return trigger.started
        ? 'Variant generation is queued.'
        : 'Variant generation is queued; the workflow engine gets it within a minute of being ready.';
    case 'in_progress':
      return 'Variant generation is already in progress.';
    case 'busy':
      return 'Other work on this file is already in progress; its variants can be rendered again once that has ended.';
  }
}
