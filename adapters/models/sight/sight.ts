import { createHash } from 'node:crypto';
import { createSemaphore } from '../../semaphore.ts';
import type { VariantType } from '../../../domain/image-analysis.ts';
import { createCallHost } from '../../../engines/hosts/call-host.ts';
import { usableModel } from '../../../engines/models/catalogue.ts';
import { startModelThread } from '../../../engines/onnx/run-guard.ts';
import { ModelError } from '../model-error.ts';
import type { Seen, SightReply, SightRequest } from './thread.ts';

/** Sees what is in images, by the models of the service, in one thread of this process. */
export interface Sight {
  /** Whether the models are there; they may come at any time. */
  isThere(): boolean;
  /**
   * @param image the variant {@link SEEN_VARIANT} of an image, which may be damaged or forged
   * @returns null for an image that cannot be read, undefined without models, or where they do not run
   * @throws ModelError if the thread ended, or the reason of the signal
   */
  see(image: Uint8Array, options: { signal: AbortSignal }): Promise<Seen | null | undefined>;
  /** What `see` found in the same bytes, once; otherwise as `see`. */
  recall: Sight['see'];
  close(): Promise<void>;
}

/** Descriptions and indexes see the same variant, so that one look serves both. */
export const SEEN_VARIANT: VariantType = 'large_1024';
const MODULE = new URL('./thread.ts', import.meta.url);
/** A thread that takes longer, also to load its models first, is considered hung. */
const ANSWERS_WITHIN_MS = 180_000;
/** Images, of which what was seen is kept, 10 KB each, until the step after their description indexes them. */
const KEPT = 100;

export function createSight(config: Parameters<typeof usableModel>[1]): Sight {
  const calls = createCallHost<SightRequest, SightReply>(
    () => startModelThread({ module: MODULE, quiet: true }),
    ANSWERS_WITHIN_MS,
  );
  // What is aborted while it waits never runs.
  const turns = createSemaphore(1);
  const kept = new Map<string, Seen>();
  /** Where the models are there but do not run. */
  let fails = false;
  const folders = () => {
    const [classes, objects] = [usableModel('image-classes', config), usableModel('image-objects', config)];
    return fails || classes === undefined || objects === undefined ? undefined : { classes, objects };
  };
  const look: Sight['see'] = async (image, { signal }) => {
    const found = folders();
    if (!found) return undefined;
    await turns.acquire(signal);
    try {
      const request = { ...found, image, variant: SEEN_VARIANT };
      const reply = await calls.call(request).catch((cause: unknown) => {
        throw new ModelError('MODEL_UNAVAILABLE', 'the image models ended', { cause });
      });
      if ('seen' in reply) return reply.seen;
      fails = true;
      return undefined;
    } finally {
      turns.release();
    }
  };
  return {
    isThere: () => folders() !== undefined,
    // Always looks: an answer that came sooner would tell that another account has the image.
    async see(image, options) {
      const seen = await look(image, options);
      if (!seen) return seen;
      kept.set(keyOf(image), seen);
      const [oldest] = kept.keys();
      if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
      return seen;
    },
    async recall(image, options) {
      const key = keyOf(image);
      const seen = kept.get(key);
      kept.delete(key);
      return seen ?? look(image, options);
    },
    close: () => calls.kill(),
  };
}

const keyOf = (image: Uint8Array): string => createHash('sha256').update(image).digest('base64');
