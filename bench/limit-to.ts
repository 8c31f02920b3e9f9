import { createSemaphore } from '../adapters/semaphore.ts';

/** Lets so many pieces of work run at a time; the others wait their turn. */
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
