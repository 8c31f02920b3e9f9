import {
  startDecoderChild,
  type DecoderChild,
  type DecoderChildLimits,
  type DecodeOptions,
  type Task,
} from './process/decoder-child.ts';
import { DecoderClosed } from './errors.ts';
import type { GreyPicture, GreySize } from './grey-picture.ts';
import type { TaskName, Tasks } from './process/messages.ts';
import type { RenderedImage } from './render-image.ts';
import { createSemaphore } from '../semaphore.ts';

export type { DecodeOptions } from './process/decoder-child.ts';
export type { GreyPicture, GreySize } from './grey-picture.ts';
export type { RenderedImage, RenderedVariant } from './render-image.ts';

/** Decodes images in child processes, so that no image can harm, block or outlive its caller. */
export interface ImageDecoder {
  /**
   * Waits for a free slot, then renders.
   *
   * @param original the bytes of a JPEG, PNG, WebP or GIF
   * @throws ImageRefused (the image's own fault, for good), DecoderCrashed, DecoderTimeout, DecoderClosed, or the reason
   *   of an abort, which takes effect at once
   */
  render(original: Uint8Array, options: DecodeOptions): Promise<RenderedImage>;
  /** The same for its luminance alone, as text recognition needs it. */
  grey(original: Uint8Array, options: DecodeOptions & GreySize): Promise<GreyPicture>;
  /** Rejects waiting and running work with `DecoderClosed`, resolves when no child is left. Idempotent. */
  close(): Promise<void>;
}

export interface ImageDecoderOptions extends Partial<DecoderChildLimits> {
  /** Images rendered at the same time, each in its own process: one per core. */
  slots: number;
}

const MIB = 2 ** 20;
/** The slowest accepted image, 100 megapixels of interlaced 16-bit PNG, takes a few seconds; the rest is for a busy machine. */
const DEFAULT_LIMITS: DecoderChildLimits = { timeoutMs: 60_000, maxImages: 500, maxRssBytes: 384 * MIB };

/** Children start on demand and are reused; one that died or reached a limit is replaced. */
export function createImageDecoder({ slots: count, ...limits }: ImageDecoderOptions): ImageDecoder {
  const slots = createSemaphore(count);
  const children = new Set<DecoderChild>();
  const idle: DecoderChild[] = [];
  const inFlight = new Set<AbortController>();
  let closed = false;

  function takeChild(): DecoderChild {
    for (let child = idle.pop(); child; child = idle.pop()) {
      if (child.isFit()) return child;
      children.delete(child);
    }
    const child = startDecoderChild({ ...DEFAULT_LIMITS, ...limits });
    children.add(child);
    return child;
  }

  async function giveBack(child: DecoderChild): Promise<void> {
    if (child.isFit()) {
      idle.push(child);
      return;
    }
    await child.kill();
    children.delete(child);
  }

  async function runInSlot<Name extends TaskName>(
    task: Task<Name>,
    label: string,
    signal: AbortSignal,
  ): Promise<Tasks[Name]['result']> {
    await slots.acquire(signal);
    try {
      const child = takeChild();
      try {
        return await child.run(task, { label, signal });
      } finally {
        await giveBack(child);
      }
    } finally {
      slots.release();
    }
  }

  async function run<Name extends TaskName>(
    task: Task<Name>,
    { label, signal }: DecodeOptions,
  ): Promise<Tasks[Name]['result']> {
    if (closed) throw new DecoderClosed();
    signal?.throwIfAborted();
    const work = new AbortController();
    const onAbort = (): void => work.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    inFlight.add(work);
    try {
      return await runInSlot(task, label, work.signal);
    } finally {
      inFlight.delete(work);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  return {
    render: (original, options) => run({ task: 'render', options: null, original }, options),
    grey: (original, { maxDimension, maxEnlargement, ...options }) =>
      run({ task: 'grey', options: { maxDimension, maxEnlargement }, original }, options),
    async close() {
      closed = true;
      for (const work of inFlight) work.abort(new DecoderClosed());
      await Promise.all([...children].map((child) => child.kill()));
    },
  };
}
