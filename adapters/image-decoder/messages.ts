import type { ImageErrorCode } from './errors.ts';
import type { RenderedImage } from './render-image.ts';

/** Parent to child: one image; the next only after the answer. */
export interface RenderRequest {
  label: string;
  original: Uint8Array;
}

/** Child to parent. `failed` is anything that says nothing about the image. `rssBytes` is the child's memory after it. */
export type RenderReply = { rssBytes: number } & (
  | { kind: 'rendered'; image: RenderedImage }
  | { kind: 'refused'; code: ImageErrorCode; detail: string }
  | { kind: 'failed'; message: string }
);
