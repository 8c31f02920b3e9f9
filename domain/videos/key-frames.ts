import type { ImageFacts } from '../image-analysis.ts';

/** Maximum characters of text stored with a video; the frames keep all of it. */
const MAX_TEXT = 100_000;

interface Measured {
  imageFacts?: ImageFacts | null | undefined;
}

/** The best frame for a thumbnail: crisp, colourful and well exposed; the first of equals. */
export function bestThumbnail<Frame extends Measured>(frames: readonly Frame[]): Frame | undefined {
  let best: Frame | undefined;
  for (const frame of frames) if (!best || appeal(frame) > appeal(best)) best = frame;
  return best;
}

function appeal({ imageFacts }: Measured): number {
  if (!imageFacts) return -1;
  const { brightness, contrast, colourfulness, sharpness, look } = imageFacts;
  const exposure = 1 - 2 * Math.abs(brightness - 0.5);
  return exposure + contrast + Math.min(1, colourfulness) + sharpness - (look === 'blank' ? 2 : 0);
}

/** The lines of text of all frames in the order in which they appear, each once; null if there are none. */
export function textOfFrames(frames: readonly { visibleText?: string | null | undefined }[]): string | null {
  const lines = frames.flatMap(({ visibleText }) => (visibleText ?? '').split('\n'));
  const distinct = new Set(lines.map((line) => line.trim()).filter((line) => line !== ''));
  return [...distinct].join('\n').slice(0, MAX_TEXT).toWellFormed() || null;
}
