import { FileVariant } from '../../../db/entities/files/file-variant.ts';
import { ImageDetails } from '../../../db/entities/files/image-details.ts';
import { DOWNLOAD_URL_SECONDS, VARIANT_URL_SECONDS } from '../../../domain/limits.ts';
import { AppError } from '../../../domain/app-error.ts';
import { findFile } from '../../../services/files/find-file.ts';
import { readFileTimeline } from '../../../services/processing/read-file-timeline.ts';
import { json, redirect } from '../../http/responses.ts';
import { route } from '../../http/route.ts';
import { fileDetail } from './file-detail.ts';
import { markdownDocument } from './markdown-document.ts';
import { originalUrl, presentTimeline, variantUrl } from './present.ts';
import { fileParams, fileQuery, imageDetail, timelineAnswer, variantParams } from './schema.ts';

/** Reading one file: its record, its bytes and its story. */
export const fileReadRoutes = [
  route({
    method: 'get',
    path: '/files/:file_id',
    operationId: 'getFile',
    summary: 'One file',
    permission: 'VIEW',
    params: fileParams,
    query: fileQuery,
    responses: json(200, imageDetail),
    async handle({ em, deps, principal, params, query }) {
      const file = await findFile(em, principal.tenantId, params.file_id);
      const detail = await fileDetail({ em, deps }, file);
      if (query.format !== 'markdown') return detail;
      const details = await em.findOne(ImageDetails, { fileId: file.id });
      return { ...detail, formatted_document: markdownDocument(file, details, detail.primary_status) };
    },
  }),

  route({
    method: 'get',
    path: '/files/:file_id/download',
    operationId: 'downloadFile',
    summary: 'Redirect to the original',
    permission: 'VIEW',
    params: fileParams,
    responses: redirect('Temporary URL of the original, valid for 300 seconds'),
    async handle({ ctx, em, deps, principal, params }) {
      const file = await findFile(em, principal.tenantId, params.file_id);
      ctx.redirect(await originalUrl(deps.objects, file, DOWNLOAD_URL_SECONDS));
    },
  }),

  route({
    method: 'get',
    path: '/files/:file_id/variant/:variant_type',
    operationId: 'getFileVariant',
    summary: 'Redirect to one size of an image',
    permission: 'VIEW',
    params: variantParams,
    responses: redirect('Temporary URL of the variant, valid for one hour'),
    async handle({ ctx, em, deps, principal, params }) {
      const file = await findFile(em, principal.tenantId, params.file_id);
      if (file.mediaType !== 'image')
        throw new AppError('WRONG_MEDIA_TYPE', `a ${file.mediaType} has no variants`);
      const type = params.variant_type;
      if (type === 'original')
        return ctx.redirect(await originalUrl(deps.objects, file, VARIANT_URL_SECONDS));
      const variant = await em.findOne(FileVariant, { fileId: file.id, type });
      if (!variant) {
        const status = file.components.variant?.status ?? 'skipped';
        throw new AppError(
          'VARIANT_NOT_READY',
          `there is no ${type} of this file; its variants are ${status}`,
        );
      }
      return ctx.redirect(await variantUrl(deps.objects, variant));
    },
  }),

  route({
    method: 'get',
    path: '/files/:file_id/timeline',
    operationId: 'getFileTimeline',
    summary: 'What happened to a file, and what it waits for',
    permission: 'VIEW',
    params: fileParams,
    responses: json(200, timelineAnswer),
    async handle({ em, deps, principal, params }) {
      const file = await findFile(em, principal.tenantId, params.file_id);
      return presentTimeline(file, await readFileTimeline({ em, engine: deps.engine }, file));
    },
  }),
];
