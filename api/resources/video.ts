import { firstFailure, isTerminal, type Components } from '../../domain/components.ts';
import { VARIANT_URL_SECONDS } from '../../domain/limits.ts';
import type { VideoDetails } from '../../db/entities/videos/video-details.ts';
import type { VideoFrame } from '../../db/entities/videos/video-frame.ts';
import { isTerminalPrimary } from '../../domain/primary-status.ts';
import { SAMPLES_PER_SECOND } from '../../domain/videos/scenes.ts';
import { readVideo, readVideoItems } from '../../services/videos/read-video.ts';
import {
  NO_OWN_FIELDS,
  originalUrl,
  presentFileDetail,
  variantUrls,
  type Presigner,
} from './file/present.ts';
import { jobFields } from './job-fields.ts';
import type { MediumPresenter } from './medium-presenter.ts';

export const videoPresenter: MediumPresenter = {
  async listItems({ em, objects }, files) {
    const videos = await readVideoItems(em, files);
    const items = files.map(async ({ id, components }) => {
      const { details = null, variants = [] } = videos.get(id) ?? {};
      const fields = {
        ...NO_OWN_FIELDS,
        ...(await variantUrls(objects, variants)),
        ...containerFields(details),
        variant_count: variants.length,
        blur_hash: details?.blurHash ?? null,
        analysis_status: analysisStatus(components),
      };
      return [id, fields] as const;
    });
    return new Map(await Promise.all(items));
  },

  async detail({ em, objects }, detail) {
    const { file, progress } = detail;
    const { details, variants, frames } = await readVideo(em, file);
    const { schema_extraction: _none, ...common } = presentFileDetail(detail);
    return {
      ...common,
      media_type: 'video' as const,
      ...containerFields(details),
      analyzed_seconds: details ? analyzedSeconds(details) : null,
      has_variable_frame_rate: details?.hasVariableFrameRate ?? null,
      rotation: details?.rotation ?? null,
      audio_tracks: (details?.audioTracks ?? []).map(({ sampleRate, ...track }) => ({
        ...track,
        sample_rate: sampleRate,
      })),
      key_frames: await Promise.all(frames.map((frame) => presentFrame(objects, frame))),
      ...(await variantUrls(objects, variants)),
      video_url: progress.upload ? null : await originalUrl(objects, file, VARIANT_URL_SECONDS),
      analysis_status: analysisStatus(progress.components),
      variant_count: variants.length,
      visible_text: file.visibleText ?? null,
      blur_hash: details?.blurHash ?? null,
    };
  },

  /** The job ends with all processing of the video. */
  async job(_em, jobId, { file, components, primaryStatus }) {
    const job = jobFields(jobId, 'video', file.createdAt);
    if (!isTerminalPrimary(primaryStatus)) return { ...job, status: 'processing' };
    const ends = Object.values(components).flatMap(({ status, endedAt }) =>
      isTerminal(status) ? (endedAt ?? []) : [],
    );
    const completed_at = ends.toSorted().at(-1) ?? null;
    if (primaryStatus === 'failed') {
      const [, failed] = firstFailure({ mediaType: file.mediaType, components }) ?? [];
      const error_message = failed?.error?.message ?? 'the work was cancelled';
      return { ...job, status: 'failed', completed_at, error_message };
    }
    const result = {
      video_id: file.id,
      status: primaryStatus === 'completed' ? ('completed' as const) : ('partially_completed' as const),
      description: file.userDescription ?? file.uploadDescription ?? null,
      visible_text: file.visibleText ?? null,
      tags: file.tags,
      confidence_score: null,
    };
    return { ...job, status: 'completed', completed_at, results: [result] };
  },
};

function analysisStatus({ video_analysis: analysis }: Components) {
  return analysis?.status ?? 'skipped';
}

/** Samples are evenly spaced, so the last one covers the time until the next. */
function analyzedSeconds({ scan, scenesFound, durationSeconds }: VideoDetails): number | null {
  if (!scenesFound || !scan) return null;
  return Math.min(durationSeconds, scan.scannedSeconds + 1 / SAMPLES_PER_SECOND);
}

function containerFields(details: VideoDetails | null) {
  if (!details) {
    return {
      duration_seconds: null,
      frame_rate: null,
      video_codec: null,
      resolution: null,
      dimensions: null,
    };
  }
  const { durationSeconds, frameRate, codec, width, height } = details;
  return {
    duration_seconds: durationSeconds,
    // 0 is unknown.
    frame_rate: frameRate || null,
    video_codec: codec,
    resolution: `${width}x${height}`,
    dimensions: { width, height },
  };
}

async function presentFrame(
  objects: Presigner,
  { timeSeconds, blurHash, objectKey, smallKey, visibleText }: VideoFrame,
) {
  const urlOf = (key: string | null | undefined) =>
    key
      ? objects.presignGet(key, {
          expiresInSeconds: VARIANT_URL_SECONDS,
          disposition: 'inline',
          contentType: 'image/jpeg',
        })
      : null;
  const [thumbnail_url, full_url] = await Promise.all([urlOf(smallKey), urlOf(objectKey)]);
  return {
    time_seconds: timeSeconds,
    blur_hash: blurHash ?? null,
    thumbnail_url,
    full_url,
    visible_text: visibleText ?? null,
  };
}
