import type { z } from 'zod';
import type { ImageFormat } from '../../../domain/media.ts';
import type { AnalyzedImage, ImageAnalysis } from '../../../services/images/wait-for-analysis.ts';
import { jobPath } from '../job/present.ts';
import type { imageAnalysis } from './schema.ts';

/** What came of one request to analyze an image. */
export function presentImageAnalysis({
  analysis,
  jobId,
  elapsedMs,
}: {
  analysis: ImageAnalysis;
  jobId: string;
  elapsedMs: number;
}): z.input<typeof imageAnalysis> {
  const { imageId: image_id, status } = analysis;
  const common = { image_id, processing_time_ms: Math.round(elapsedMs) };
  if (status === 'skipped') return { ...common, status };
  if (status === 'completed') return { ...common, status, ...presentImage(analysis.image) };
  const job = { ...common, job_id: jobId, poll_url: jobPath(jobId) };
  return status === 'failed' ? { ...job, status, error: analysis.error } : { ...job, status };
}

function presentImage({ file, details, confidence }: AnalyzedImage) {
  const { width, height } = details;
  return {
    description: file.userDescription ?? file.uploadDescription ?? null,
    visible_text: file.visibleText ?? null,
    tags: file.tags,
    metadata: {
      width,
      height,
      format: file.format as ImageFormat,
      size_bytes: file.sizeBytes,
      content_type: file.contentType,
      media_type: file.mediaType,
    },
    confidence_score: confidence,
  };
}
