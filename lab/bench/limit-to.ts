import { createSemaphore } from '../../adapters/semaphore.ts';

/** A semaphore: runs at most `count` calls at a time; the others wait in order. */
export function limitTo(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const slots = createSemaphore(count);
  const { signal } = new AbortController();
  return async (work) => {
    await slots.acquire(signal);
    try {
      return await work();
    } finally {
      slots.release();
    }
  };
}
