import { json } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { storeUpload } from '../../multipart/store-upload.ts';
import { presentUpload } from '../../resources/upload/present.ts';
import { uploadAnswer, uploadForm, uploadFormDocument } from '../../resources/upload/schema.ts';
import { UPLOAD_ERRORS } from '../../multipart/read-upload-request.ts';

const FIELDS = new Set(Object.keys(uploadForm.shape));

/** One file, streamed straight to the object store; its processing starts automatically. */
export const fileUploadRoute = route({
  method: 'post',
  path: '/files/upload',
  operationId: 'uploadFile',
  summary: 'Upload one file',
  tag: 'Uploads',
  permit: 'files.write',
  form: uploadFormDocument,
  responses: json(201, uploadAnswer),
  errors: [...UPLOAD_ERRORS, 'EMPTY_FILE', 'UNSUPPORTED_MEDIA', 'QUOTA_EXHAUSTED'],
  handle: (call) => storeUpload(call, { fields: FIELDS }),
  present(upload, { ctx }) {
    ctx.status = 201;
    return presentUpload(upload);
  },
});
