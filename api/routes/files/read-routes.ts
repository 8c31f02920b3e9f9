import { DOWNLOAD_URL_SECONDS, VARIANT_URL_SECONDS } from '../../../domain/limits.ts';
import { AppError } from '../../../domain/app-error.ts';
import { componentsOf } from '../../../domain/pipelines/index.ts';
import { findFile, FILE_ERRORS, FILE_OR_UPLOAD_ERRORS } from '../../../services/files/find-file.ts';
import { findVariants } from '../../../services/images/read-image.ts';
import { redirect } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { readFileDetail } from '../../../services/processing/read-file-detail.ts';
import { observeFileOrUpload } from '../../../services/direct-uploads/observe-file-or-upload.ts';
import { originalUrl, variantUrl } from '../../resources/file/present.ts';
import {
  fileDetail,
  fileParams,
  fileQuery,
  variantParams,
  PATCH_BYTES,
  patchAnswer,
  patchBody,
} from '../../resources/file/schema.ts';
import { presenterOf } from '../../resources/media.ts';
import { changeFile } from '../../../services/files/change-file.ts';

/** One file in full detail. */
export const fileRoute = route({
  method: 'get',
  path: '/files/:file_id',
  operationId: 'getFile',
  summary: 'One file',
  description:
    'All that is known of a file: its status and what it waits for, URLs of its sizes (valid for one ' +
    'hour), description, text and extractions. The first 8 characters of an id are enough.',
  tag: 'Files',
  permit: 'files.read',
  params: fileParams,
  query: fileQuery,
  answers: { 200: fileDetail },
  streamed: 'in_turn',
  errors: [...FILE_OR_UPLOAD_ERRORS],
  async handle({ em, deps, principal, params }) {
    const { objects, engine } = deps;
    return readFileDetail(
      em,
      await observeFileOrUpload({ em, objects, engine }, principal.tenantId, params.file_id),
    );
  },
  present: (detail, { em, deps, query }) =>
    presenterOf(detail.file).detail({ em, objects: deps.objects }, detail, query),
});

/** Reading one file: its record and its bytes. */
export const fileReadRoutes = [
  fileRoute,

  route({
    method: 'get',
    path: '/files/:file_id/download',
    operationId: 'downloadFile',
    summary: 'Redirect to the original',
    description: 'Redirects to a URL that is valid for five minutes and needs no key.',
    tag: 'Files',
    permit: 'files.read',
    params: fileParams,
    answers: { 302: redirect('Temporary URL of the original, valid for 300 seconds') },
    errors: [...FILE_ERRORS],
    async handle({ ctx, em, deps, principal, params }) {
      const file = await findFile(em, principal.tenantId, params.file_id);
      ctx.redirect(await originalUrl(deps.objects, file, DOWNLOAD_URL_SECONDS));
    },
  }),

  route({
    method: 'get',
    path: '/files/:file_id/variant/:variant_type',
    operationId: 'getFileVariant',
    summary: 'Redirect to one variant of an image, or of the thumbnail of a video',
    description:
      'Redirects to a URL that is valid for one hour and needs no key; 404 `VARIANT_NOT_READY` until it ' +
      'is rendered.',
    tag: 'Files',
    permit: 'files.read',
    params: variantParams,
    answers: { 302: redirect('Temporary URL of the variant, valid for one hour') },
    errors: [...FILE_ERRORS, 'WRONG_MEDIA_TYPE', 'VARIANT_NOT_READY'],
    async handle({ ctx, em, deps, principal, params }) {
      const file = await findFile(em, principal.tenantId, params.file_id);
      const rendering = componentsOf(file.mediaType).find(({ rendersVariants }) => rendersVariants);
      if (!rendering) throw new AppError('WRONG_MEDIA_TYPE', `${file.mediaType} files have no variants`);
      const type = params.variant_type;
      if (type === 'original')
        return ctx.redirect(await originalUrl(deps.objects, file, VARIANT_URL_SECONDS));
      const [variant] = await findVariants(em, [file], type);
      if (!variant) {
        const status = file.components[rendering.name]?.status ?? 'skipped';
        throw new AppError(
          'VARIANT_NOT_READY',
          `there is no ${type} of this file; its variants are ${status}`,
        );
      }
      return ctx.redirect(await variantUrl(deps.objects, variant));
    },
  }),
];

/** User-editable metadata. */
export const filePatchRoute = route({
  method: 'patch',
  path: '/files/:file_id',
  operationId: 'changeFile',
  summary: 'Change title, tags or description, or move to another folder',
  tag: 'Files',
  permit: 'files.write',
  params: fileParams,
  body: patchBody,
  maxBodyBytes: PATCH_BYTES,
  answers: { 200: patchAnswer },
  errors: [...FILE_ERRORS, 'PROJECT_ARCHIVED'],
  async handle({ em, principal, params, body }) {
    const found = await findFile(em, principal.tenantId, params.file_id);
    const file = await changeFile(em, found, {
      ...(body.title !== undefined && { title: body.title || null }),
      ...(body.tags !== undefined && { tags: body.tags ?? [] }),
      ...(body.user_description !== undefined && { userDescription: body.user_description || null }),
      ...(body.folder_id !== undefined && { folderId: body.folder_id }),
    });
    return {
      id: file.id,
      title: file.title ?? file.filename,
      tags: file.tags,
      user_description: file.userDescription ?? null,
      upload_description: file.uploadDescription ?? null,
      folder_id: file.folderId ?? null,
      updated_at: file.updatedAt.toISOString(),
    };
  },
});
