import { resolveName, type ResolveName } from '../outbound/guarded-agent.ts';
import { createSemaphore } from '../semaphore.ts';

/** Resolves the host names that pages use, for all browsers of a worker. */
export interface PageNames {
  /**
   * The resolver of one page. Each name is resolved once, so that it cannot change between check and use.
   *
   * @param signal aborts lookups that have not begun
   */
  forPage(signal: AbortSignal): ResolveName;
}

/**
 * Node resolves at most two slow names at a time per process, including those of its servers: pages get one of the two.
 * A lookup that has begun cannot be aborted.
 */
const AT_ONCE = 1;
const MAX_NAMES = 60;

export function createPageNames(resolve: ResolveName = resolveName): PageNames {
  const turns = createSemaphore(AT_ONCE);
  return {
    forPage(signal) {
      const found = new Map<string, ReturnType<ResolveName>>();
      const find: ResolveName = async (name) => {
        await turns.acquire(signal);
        try {
          return await resolve(name);
        } finally {
          turns.release();
        }
      };
      return async (name) => {
        const known = found.get(name);
        if (!known && found.size >= MAX_NAMES) throw new Error('the page uses too many names');
        const addresses = known ?? find(name);
        found.set(name, addresses);
        return addresses;
      };
    },
  };
}
