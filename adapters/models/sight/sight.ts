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
   * @param image a variant of an image, which may be damaged or forged
   * @returns null for an image that cannot be read, undefined without models, or where they do not run
   * @throws ModelError if the thread ended, or the reason of the signal
   */
  see(
    image: Uint8Array,
    variant: VariantType,
    options: { signal: AbortSignal },
  ): Promise<Seen | null | undefined>;
  close(): Promise<void>;
}

const MODULE = new URL('./thread.ts', import.meta.url);
/** A thread that takes longer, also to load its models first, is considered hung. */
const ANSWERS_WITHIN_MS = 180_000;
/** Images, of which what was seen is kept, 10 KB each: the step after the description of an image indexes it. */
const KEPT = 100;

export function createSight(config: Parameters<typeof usableModel>[1]): Sight {
  const calls = createCallHost<SightRequest, SightReply>(
    () => startModelThread({ module: MODULE, quiet: true }),
    ANSWERS_WITHIN_MS,
  );
  // What is aborted while it waits never runs.
  const turns = createSemaphore(1);
  const kept = new Map<string, Seen | null>();
  /** Where the models are there but do not run. */
  let fails = false;
  const folders = () => {
    const [classes, objects] = [usableModel('image-classes', config), usableModel('image-objects', config)];
    return fails || classes === undefined || objects === undefined ? undefined : { classes, objects };
  };
  return {
    isThere: () => folders() !== undefined,
    async see(image, variant, { signal }) {
      const found = folders();
      if (!found) return undefined;
      await turns.acquire(signal);
      try {
        const key = createHash('sha256').update(variant).update(image).digest('base64');
        const earlier = kept.get(key);
        if (earlier !== undefined) return earlier;
        const reply = await calls.call({ ...found, image, variant }).catch((cause: unknown) => {
          throw new ModelError('MODEL_UNAVAILABLE', 'the image models ended', { cause });
        });
        if ('seen' in reply) {
          kept.set(key, reply.seen);
          const [oldest] = kept.keys();
          if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
          return reply.seen;
        }
        fails = true;
        return undefined;
      } finally {
        turns.release();
      }
    },
    close: () => calls.kill(),
  };
}
