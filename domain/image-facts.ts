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
