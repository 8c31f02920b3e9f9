import { isTerminal, firstFailure, type Components, type FailureReason } from './components.ts';
import { isTerminalPrimary, primaryStatus } from './primary-status.ts';

/** The variants rendered from every image, smallest first; `maxDimension` bounds the longer side in pixels. */
export const VARIANTS = [
  { type: 'tiny_64', maxDimension: 64 },
  { type: 'small_256', maxDimension: 256 },
  { type: 'medium_750', maxDimension: 750 },
  { type: 'large_1024', maxDimension: 1024 },
] as const;

export type VariantType = (typeof VARIANTS)[number]['type'];

/** Images with more pixels are refused before decoding: 100 megapixels. */
export const MAX_IMAGE_PIXELS = 100_000_000;

/** An object found in an image. */
export interface DetectedObject {
  /** For example `dining table`. */
  label: string;
  /** Of the model, 0–1. */
  score: number;
  /** Shares of the width and the height of the upright image. */
  box: { xMin: number; yMin: number; xMax: number; yMax: number };
}

/** A line of text in an image, with its position. */
export interface TextRegion {
  text: string;
  /** Bounding box in the upright image, 0–1 of width and height. */
  box: { xMin: number; yMin: number; xMax: number; yMax: number };
}

/**
 * Measurements of an image that need no model. Stored with the file as JSON; the `local` vision provider answers from
 * it, other providers may add it to their prompt. Never contains a location: GPS data is not read.
 */
export interface ImageFacts {
  /** Most common colours, largest share first, at most five. `share` is 0–1 of all pixels, `name` a plain English colour. */
  colours: { name: string; hex: string; share: number }[];
  /** Mean luminance, 0 black – 1 white. */
  brightness: number;
  /** Standard deviation of luminance, 0 flat – 1 extreme. */
  contrast: number;
  /** 0 grey – 1 vivid. */
  colourfulness: number;
  /** 0 blurred or flat – 1 crisp, from the variance of the Laplacian of a small raster. */
  sharpness: number;
  /** The kind of image that the statistics suggest: continuous tones, few flat colours, or no content. */
  look: 'photograph' | 'graphic' | 'blank';
  hasAlpha: boolean;
  /** Frames of an animation; 1 for a still image. */
  frames: number;
  exif: ExifFacts;
}

/** The part of EXIF that is safe and useful to keep. Absent keys were absent or unreadable. */
export interface ExifFacts {
  /** ISO 8601, from DateTimeOriginal; UTC if EXIF has no zone. */
  takenAt?: string;
  camera?: string;
  lens?: string;
  iso?: number;
  exposureSeconds?: number;
  aperture?: number;
  focalLengthMm?: number;
}

/** The outcome of an image's analysis, and its end time (ISO 8601). */
type AnalysisEnd = { endedAt: string | undefined } & (
  | { status: 'completed' }
  | { status: 'failed'; reason: FailureReason }
);

const CANCELLED: FailureReason = { code: 'CANCELLED', message: 'the work was cancelled' };

/**
 * The outcome of an image's analysis, which ends with its description; later steps, including its index entry, are not
 * waited for. Without a requested description, it ends with all processing of the image.
 *
 * @param describedAt when this run stored the description, if it has
 * @returns undefined while it continues
 */
export function endOfAnalysis(
  components: Components,
  describedAt: Date | undefined,
): AnalysisEnd | undefined {
  const { description } = components;
  if (describedAt) return { status: 'completed', endedAt: describedAt.toISOString() };
  if (!description || description.cause === 'by_request') return endOfProcessing(components);
  const { status, endedAt, error } = description;
  if (!isTerminal(status)) return undefined;
  if (status === 'completed') return { status, endedAt };
  return { status: 'failed', endedAt, reason: error ?? reasonOf(components) };
}

function endOfProcessing(components: Components): AnalysisEnd | undefined {
  const status = primaryStatus(components);
  if (!isTerminalPrimary(status)) return undefined;
  const ends = Object.values(components).flatMap(({ endedAt }) => endedAt ?? []);
  const endedAt = ends.toSorted().at(-1);
  if (status !== 'failed') return { status: 'completed', endedAt };
  return { status, endedAt, reason: reasonOf(components) };
}

function reasonOf(components: Components): FailureReason {
  return firstFailure({ mediaType: 'image', components })?.[1].error ?? CANCELLED;
}
