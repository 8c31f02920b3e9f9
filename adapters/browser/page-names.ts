import { resolveName, type ResolveName } from '../outbound/guarded-agent.ts';
import { createSemaphore } from '../semaphore.ts';

/** Resolves the names that pages use, for all browsers of a worker. */
export interface PageNames {
  /**
   * Of one page: each name is resolved once, so that it cannot lead elsewhere later.
   *
   * @param signal what is not resolved when it aborts never is
   */
  forPage(signal: AbortSignal): ResolveName;
}

/**
 * The system resolves two slow names of a process at a time, also those of its servers: pages get one of the two. None
 * is given up once it has begun.
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
