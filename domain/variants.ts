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
