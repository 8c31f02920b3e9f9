import { createChildPool } from '../child-pool.ts';
import type { Margins } from '../../domain/compliance/margins.ts';
import {
  startDecoderChild,
  type DecoderChildLimits,
  type DecodeOptions,
  type Task,
} from './process/decoder-child.ts';
import { DecoderClosed } from './errors.ts';
import type { GreyPicture, GreySize } from './grey-picture.ts';
import type { TaskName, Tasks } from './process/messages.ts';
import type { RenderedImage, RenderOptions } from './render-image.ts';
import type { RenderedView, ViewSize } from './render-view.ts';

export type { DecodeOptions } from './process/decoder-child.ts';
export type { GreyPicture, GreySize } from './grey-picture.ts';
export type { RenderedImage, RenderedVariant, RenderOptions } from './render-image.ts';

/** Decodes images in child processes, so that no image can harm, block or outlive its caller. */
export interface ImageDecoder {
  /**
   * Waits for a free slot, then renders.
   *
   * @param original the bytes of a JPEG, PNG, WebP or GIF
   * @throws ImageRefused (invalid image, permanent), DecoderCrashed, DecoderTimeout, DecoderClosed, or the reason of an
   *   abort, which takes effect immediately
   */
  render(original: Uint8Array, options: DecodeOptions & RenderOptions): Promise<RenderedImage>;
  /** Decodes only the luminance, for text recognition; otherwise like `render`. */
  grey(original: Uint8Array, options: DecodeOptions & GreySize): Promise<GreyPicture>;
  /** Renders a single view for a reader of small print; otherwise like `render`. */
  view(original: Uint8Array, options: DecodeOptions & ViewSize): Promise<RenderedView>;
  /** Measures only the edges; otherwise like `render`. */
  margins(original: Uint8Array, options: DecodeOptions): Promise<Margins>;
  /** Rejects waiting and running work with `DecoderClosed`; resolves when all children have exited. Idempotent. */
  close(): Promise<void>;
}

export interface ImageDecoderOptions extends Partial<DecoderChildLimits> {
  /** Images rendered at the same time, each in its own process: one per core. */
  slots: number;
}

const MIB = 2 ** 20;
/** The slowest accepted image, 100 megapixels of interlaced 16-bit PNG, takes seconds; the rest allows for load. */
const DEFAULT_LIMITS: DecoderChildLimits = { timeoutMs: 60_000, maxImages: 500, maxRssBytes: 384 * MIB };

/** Children start on demand and are reused; one that has died or reached a limit is replaced. */
export function createImageDecoder({ slots, ...limits }: ImageDecoderOptions): ImageDecoder {
  const pool = createChildPool(slots, () => startDecoderChild({ ...DEFAULT_LIMITS, ...limits }));

  function run<Name extends TaskName>(
    task: Task<Name>,
    { label, signal: aborted }: DecodeOptions,
  ): Promise<Tasks[Name]['result']> {
    return pool.run(aborted, (child, signal) => child.run(task, { label, signal }));
  }

  return {
    render: (original, { luminance = false, ...options }) =>
      run({ task: 'render', options: { luminance }, original }, options),
    grey: (original, { maxDimension, maxEnlargement, ...options }) =>
      run({ task: 'grey', options: { maxDimension, maxEnlargement }, original }, options),
    view: (original, { maxDimension, ...options }) =>
      run({ task: 'view', options: { maxDimension }, original }, options),
    margins: (original, options) => run({ task: 'margins', options: {}, original }, options),
    close: () => pool.close(new DecoderClosed()),
  };
}
