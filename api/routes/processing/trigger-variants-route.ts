import { findFile, FILE_ERRORS } from '../../../services/files/find-file.ts';
import { triggerVariants, type VariantsTrigger } from '../../../services/images/trigger-variants.ts';
import { fileWorkflowId } from '../../../temporal/contract/ids.ts';
import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { fileParams } from '../../resources/file/schema.ts';
import { triggerVariantsAnswer } from '../../resources/processing/schema.ts';

export const fileTriggerVariantsRoute = route({
  method: 'post',
  path: '/files/:file_id/trigger-variants',
  operationId: 'triggerVariants',
  summary: 'Render the variants of an image again',
  tag: 'Processing',
  permit: 'files.write',
  params: fileParams,
  responses: json(200, triggerVariantsAnswer),
  errors: [...FILE_ERRORS, 'WRONG_MEDIA_TYPE', 'QUOTA_EXHAUSTED'],
  async handle({ em, deps, principal, params }) {
    const file = await findFile(em, principal.tenantId, params.file_id);
    const trigger = await triggerVariants({ em, engine: deps.engine }, principal, file);
    return {
      success: trigger.outcome !== 'busy',
      message: message(trigger),
      task_id: fileWorkflowId(file.id),
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
      return 'Other work on this file is already in progress; its variants can be made again once that has ended.';
  }
}
