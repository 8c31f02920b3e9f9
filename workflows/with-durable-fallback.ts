import { isCancellation } from '@temporalio/workflow';

/** Runs the local activity, which costs no extra hop; when its attempts are used up, the regular one. */
export function withDurableFallback<A extends unknown[], R>(
  first: (...args: A) => Promise<R>,
  then: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    try {
      return await first(...args);
    } catch (error) {
      if (isCancellation(error)) throw error;
      return then(...args);
    }
  };
}
