import { findExtractions } from '../../../services/images/find-extractions.ts';
import { reviewExtraction } from '../../../services/images/review-extraction.ts';
import { findFile, FILE_ERRORS } from '../../../services/files/find-file.ts';
import { route } from '../../http/route.ts';
import {
  presentCorrections,
  presentExtraction,
  REVIEW_BYTES,
  reviewAnswer,
  reviewBody,
  reviewParams,
  extractionsAnswer,
} from '../../resources/extraction.ts';
import { fileParams } from '../../resources/file/schema.ts';

/** Extractions from an image, and their review by people. */
export const extractionRoutes = [
  route({
    method: 'get',
    path: '/files/:file_id/extractions',
    operationId: 'listExtractions',
    summary: 'The extractions from an image, by domain',
    tag: 'Files',
    permit: 'files.read',
    params: fileParams,
    answers: { 200: extractionsAnswer },
    errors: [...FILE_ERRORS, 'WRONG_MEDIA_TYPE'],
    async handle({ em, principal, params }) {
      const file = await findFile(em, principal.tenantId, params.file_id);
      const extractions = await findExtractions(em, file);
      return { image_id: file.id, extractions: extractions.map(presentExtraction) };
    },
  }),

  route({
    method: 'patch',
    path: '/files/:file_id/extractions/:domain_name/review',
    operationId: 'reviewExtraction',
    summary: 'Confirm, reject or correct extracted values; the original is kept',
    tag: 'Files',
    permit: 'files.write',
    params: reviewParams,
    body: reviewBody,
    maxBodyBytes: REVIEW_BYTES,
    answers: { 200: reviewAnswer },
    errors: [...FILE_ERRORS, 'WRONG_MEDIA_TYPE', 'INVALID_DOMAIN', 'INVALID_CORRECTION'],
    async handle({ em, principal, params, body }) {
      const file = await findFile(em, principal.tenantId, params.file_id);
      const { category, corrections, updatedAt } = await reviewExtraction(em, file, params.domain_name, {
        itemReviews: body.item_reviews ?? {},
        fieldEdits: body.field_edits ?? {},
      });
      return {
        image_id: file.id,
        domain_name: category,
        corrections: presentCorrections(corrections),
        updated_at: updatedAt.toISOString(),
      };
    },
  }),
];
