import type { ImageFacts } from '../../../domain/image-analysis.ts';

type Orientation = 'panorama' | 'landscape' | 'portrait' | 'square';

/** Words for the measurements; absent ones are unremarkable. */
interface ImageWords {
  orientation: Orientation;
  brightness?: 'bright' | 'dark';
  contrast?: 'low-contrast' | 'high-contrast';
  colour?: 'monochrome' | 'muted' | 'colourful';
  focus?: 'sharp' | 'soft';
}

/**
 * Turns measures into words. Colourfulness follows the steps of Hasler and Süsstrunk ("slightly" at 0.14, "quite" at
 * 0.54); focus is mentioned for photographs only, since a drawing is crisp or flat by nature.
 */
export function imageWords(facts: ImageFacts, width: number, height: number): ImageWords {
  const { brightness, contrast, colourfulness, sharpness, look } = facts;
  const orientation = orientationOf(width / height);
  if (look === 'blank') return { orientation };
  return {
    orientation,
    ...(brightness > 0.7 && { brightness: 'bright' }),
    ...(brightness < 0.25 && { brightness: 'dark' }),
    ...(contrast < 0.2 && { contrast: 'low-contrast' }),
    ...(contrast > 0.65 && { contrast: 'high-contrast' }),
    ...(colourfulness < 0.14 && { colour: 'muted' }),
    ...(colourfulness < 0.03 && { colour: 'monochrome' }),
    ...(colourfulness > 0.54 && { colour: 'colourful' }),
    ...(look === 'photograph' && sharpness > 0.6 && { focus: 'sharp' }),
    ...(look === 'photograph' && sharpness < 0.2 && { focus: 'soft' }),
  };
}

function orientationOf(ratio: number): Orientation {
  if (ratio >= 2) return 'panorama';
  if (ratio > 1.05) return 'landscape';
  return ratio < 0.95 ? 'portrait' : 'square';
}

/** Minimum brightness of photographed or scanned paper. */
const PAPER_BRIGHTNESS = 0.6;
const PAPER_COLOUR = 0.14;
/** Minimum number of text lines of a page. */
const PAGE_LINES = 12;

/** Whether an image looks like a page of text: many lines on a pale background. */
export function isPageOfText({ brightness, colourfulness }: ImageFacts, lines: number): boolean {
  return brightness >= PAPER_BRIGHTNESS && colourfulness <= PAPER_COLOUR && lines >= PAGE_LINES;
}
