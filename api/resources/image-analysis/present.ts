import type { AnalyzedImage, ImageAnalysis } from '../../../services/images/wait-for-analysis.ts';
import { jobPath } from '../job/present.ts';

/** What came of one request to analyze an image. */
export function presentImageAnalysis({
  analysis,
  jobId,
  elapsedMs,
}: {
  analysis: ImageAnalysis;
  jobId: string;
  elapsedMs: number;
}) {
  const { imageId: image_id, status } = analysis;
  const common = { image_id, status, processing_time_ms: Math.round(elapsedMs) };
  if (status === 'skipped') return common;
  if (status === 'completed') return { ...common, ...presentImage(analysis.image) };
  const job = { ...common, job_id: jobId, poll_url: jobPath(jobId) };
  return status === 'failed' ? { ...job, error: analysis.error } : job;
}

function presentImage({ file, details, confidence }: AnalyzedImage) {
  const { width, height } = details;
  return {
    description: file.userDescription ?? file.uploadDescription,
    visible_text: file.visibleText ?? null,
    tags: file.tags,
    metadata: {
      width,
      height,
      format: file.format,
      size_bytes: file.sizeBytes,
      content_type: file.contentType,
      media_type: file.mediaType,
    },
    confidence_score: confidence,
  };
}
