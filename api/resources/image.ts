import type { ImageDetails } from '../../db/entities/files/image-details.ts';
import { endOfAnalysis, type DetectedObject, type TextRegion } from '../../domain/image-analysis.ts';
import { VARIANT_URL_SECONDS } from '../../domain/limits.ts';
import { readImage, readImageItems } from '../../services/images/read-image.ts';
import { readDescribed } from '../../services/images/wait-for-analysis.ts';
import { presentExtraction } from './extraction.ts';
import { markdownDocument } from './file/markdown-document.ts';
import { NO_OWN_FIELDS, originalUrl, presentFileDetail, variantUrls } from './file/present.ts';
import { jobFields } from './job-fields.ts';
import type { MediumPresenter } from './medium-presenter.ts';

export const imagePresenter: MediumPresenter = {
  async listItems({ em, objects }, files) {
    const images = await readImageItems(
      em,
      files.map(({ id }) => id),
    );
    const items = files.map(async ({ id }) => {
      const { details, variants } = images.get(id) ?? { variants: [] };
      const fields = {
        ...NO_OWN_FIELDS,
        ...(await variantUrls(objects, variants)),
        dimensions: dimensions(details),
        variant_count: variants.length,
        blur_hash: details?.blurHash ?? null,
      };
      return [id, fields] as const;
    });
    return new Map(await Promise.all(items));
  },

  async detail({ em, objects }, detail, { format }) {
    const { file, progress } = detail;
    const { details, variants, extractions } = await readImage(em, file);
    return {
      ...presentFileDetail(detail),
      media_type: 'image' as const,
      dimensions: dimensions(details),
      ...(await variantUrls(objects, variants)),
      original_url: progress.upload ? null : await originalUrl(objects, file, VARIANT_URL_SECONDS),
      variant_count: variants.length,
      visible_text: file.visibleText ?? null,
      text_regions: (details?.textRegions ?? []).map(presentRegion),
      detected_objects: (details?.detectedObjects ?? []).map(presentObject),
      extractions: extractions.map(presentExtraction),
      compliance_status: file.complianceStatus,
      blur_hash: details?.blurHash ?? null,
      ...(format === 'markdown' && {
        formatted_document: markdownDocument(file, details, progress.primaryStatus),
      }),
    };
  },

  /** Ends with its description. The image of a duplicate has another id than the job. */
  async job(em, jobId, { file, components }) {
    const { describedAt, confidence } = await readDescribed(em, file);
    const job = jobFields(jobId, 'image', file.createdAt);
    const end = endOfAnalysis(components, describedAt);
    if (!end) return { ...job, status: 'processing' };
    const completed_at = end.endedAt ?? null;
    if (end.status === 'failed')
      return { ...job, status: 'failed', completed_at, error_message: end.reason.message };
    const result = {
      image_id: file.id,
      status: end.status,
      description: file.userDescription ?? file.uploadDescription ?? null,
      visible_text: file.visibleText ?? null,
      tags: file.tags,
      confidence_score: confidence,
    };
    return { ...job, status: 'completed', completed_at, results: [result] };
  },
};

function presentRegion({ text, box }: TextRegion) {
  return { text, bounding_box: presentBox(box) };
}

function presentObject({ label, score, box }: DetectedObject) {
  return { label, confidence: score, bounding_box: presentBox(box) };
}

function presentBox({ xMin, yMin, xMax, yMax }: TextRegion['box']) {
  return { x_min: xMin, y_min: yMin, x_max: xMax, y_max: yMax };
}

function dimensions(details: Pick<ImageDetails, 'width' | 'height'> | null | undefined) {
  return details ? { width: details.width, height: details.height } : null;
}
