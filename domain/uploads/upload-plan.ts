const MIB = 1024 * 1024;

/** Maximum size of one PUT: 5 GB. */
export const MAX_SINGLE_SHOT_BYTES = 5 * 1024 * MIB;
/** Maximum size of a multipart upload: 5 TB. */
export const MAX_MULTIPART_BYTES = 5 * 1024 * 1024 * MIB;
export const MIN_MULTIPART_BYTES = 5 * MIB;
/** S3's minimum size of every part but the last. */
export const MIN_PART_BYTES = 5 * MIB;
export const MAX_PART_BYTES = 5 * 1024 * MIB;
export const MAX_PARTS = 10_000;

/** Larger files default to multipart, so that a broken connection costs only one part. */
const SINGLE_SHOT_BY_DEFAULT = 100 * MIB;
const DEFAULT_PART_BYTES = 16 * MIB;

export const UPLOAD_MODES = ['single_shot', 'multipart'] as const;
export type UploadMode = (typeof UPLOAD_MODES)[number];

export type UploadPlan =
  | { mode: 'single_shot' }
  | { mode: 'multipart'; partSizeBytes: number; totalParts: number };

/** A request that cannot be satisfied, with the field to change. */
export interface PlanProblem {
  field: 'size_bytes' | 'upload_mode' | 'part_size_bytes';
  message: string;
}

/** Plans the upload of a file, with defaults for options the client left open. */
export function planUpload(requested: {
  sizeBytes: number;
  mode?: UploadMode | undefined;
  partSizeBytes?: number | undefined;
}): UploadPlan | { problem: PlanProblem } {
  const { sizeBytes, partSizeBytes } = requested;
  const mode = requested.mode ?? defaultMode(sizeBytes, partSizeBytes);
  if (mode === 'single_shot') {
    if (partSizeBytes !== undefined)
      return refuse('part_size_bytes', 'only uploads in parts have a part size');
    if (sizeBytes > MAX_SINGLE_SHOT_BYTES) return refuse('size_bytes', 'single_shot takes 5 GB at most');
    return { mode };
  }
  if (sizeBytes < MIN_MULTIPART_BYTES) return refuse('upload_mode', 'multipart begins at 5242880 bytes');
  if (sizeBytes > MAX_MULTIPART_BYTES) return refuse('size_bytes', 'multipart takes 5 TB at most');
  const size = partSizeBytes ?? defaultPartSize(sizeBytes);
  if (size < MIN_PART_BYTES) return refuse('part_size_bytes', 'a part has at least 5242880 bytes');
  if (size > MAX_PART_BYTES) return refuse('part_size_bytes', 'a part has 5 GB at most');
  const totalParts = Math.ceil(sizeBytes / size);
  if (totalParts > MAX_PARTS) {
    const least = Math.ceil(sizeBytes / MAX_PARTS);
    return refuse(
      'part_size_bytes',
      `${totalParts} parts are too many; ${MAX_PARTS} parts need at least ${least} bytes each`,
    );
  }
  return { mode, partSizeBytes: size, totalParts };
}

/** The size of one part, numbered from 1: all are equal except the last, which has the remainder. */
export function partSize(
  upload: { sizeBytes: number; partSizeBytes: number; totalParts: number },
  number: number,
): number {
  if (number < upload.totalParts) return upload.partSizeBytes;
  return upload.sizeBytes - (upload.totalParts - 1) * upload.partSizeBytes;
}

function defaultMode(sizeBytes: number, partSizeBytes: number | undefined): UploadMode {
  if (partSizeBytes !== undefined) return 'multipart';
  return sizeBytes > SINGLE_SHOT_BY_DEFAULT ? 'multipart' : 'single_shot';
}

/** Whole MiB, so that clients read files in even steps. */
function defaultPartSize(sizeBytes: number): number {
  return Math.max(DEFAULT_PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS / MIB) * MIB);
}

function refuse(field: PlanProblem['field'], message: string): { problem: PlanProblem } {
  return { problem: { field, message } };
}
