import { isCancellation } from '@temporalio/workflow';

/** Tries the local activity, which costs no extra hop, and after its last attempt the ordinary one. */
export function escalating<A extends unknown[], R>(
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
