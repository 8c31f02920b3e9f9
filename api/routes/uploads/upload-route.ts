import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { uploadAnswer, uploadForm, uploadFormDocument } from '../../resources/file/schema.ts';
import { storeUpload } from '../../multipart/store-upload.ts';

const FIELDS = new Set(Object.keys(uploadForm.shape));

/** One file, streamed straight to the object store; its processing starts by itself. */
export const fileUploadRoute = route({
  method: 'post',
  path: '/files/upload',
  operationId: 'uploadFile',
  summary: 'Upload one file',
  permission: 'EDIT',
  form: uploadFormDocument,
  responses: json(201, uploadAnswer),
  async handle(call) {
    const { file, skipped, stored, form, started, elapsedMs } = await storeUpload(call, FIELDS);
    call.ctx.status = 201;
    return {
      file_id: file.id,
      upload_method: 'STREAMING',
      status: skipped ? 'skipped' : 'processing',
      processing_time_ms: Math.round(elapsedMs),
      upload_completed: true,
      thumbnail_generation_started: started,
      analysis_started: started && form.auto_describe,
      skipped,
      existing_file_id: skipped ? file.id : null,
      storage_target: form.storage_target,
      media_type: stored.mediaType,
    };
  },
});
