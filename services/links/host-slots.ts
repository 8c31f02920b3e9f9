/** All slots of the site are taken by other pages of the same tenant. Retryable after a few seconds. */
export class HostBusy extends Error {
  override readonly name = 'HostBusy';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('other pages of the same site are being fetched');
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Bounds how many pages of one site are fetched for one tenant at the same time, within one worker. */
export interface HostSlots {
  /**
   * Waits up to a second for a slot.
   *
   * @returns a function that releases it
   * @throws HostBusy; the reason of the signal
   */
  enter(tenantId: string, host: string, signal: AbortSignal): Promise<() => void>;
}

/** The sites that one fetch visits by following redirects; it holds a slot of one site at a time. */
export interface HostVisit {
  /** @throws the errors of HostSlots.enter */
  enter(host: string): Promise<void>;
  leave(): void;
}

export function visitHosts(hosts: HostSlots, tenantId: string, signal: AbortSignal): HostVisit {
  let at: string | undefined;
  let release: () => void = () => undefined;
  const leave = (): void => {
    release();
    at = undefined;
    release = () => undefined;
  };
  return {
    async enter(host) {
      if (host === at) return;
      leave();
      release = await hosts.enter(tenantId, host, signal);
      at = host;
    },
    leave,
  };
}

const AT_ONCE = 4;
/** A waiting crawl occupies a slot of the worker that other activities may need. */
const WAIT_MS = 1_000;
const LEAST_SECONDS = 1;
/** Jitter, so that the crawls of a batch do not retry all at once. */
const SPREAD_SECONDS = 3;

/** @param random source of numbers from 0 to 1 for the jitter */
export function createHostSlots(
  { atOnce = AT_ONCE, waitMs = WAIT_MS }: { atOnce?: number; waitMs?: number } = {},
  random: () => number = Math.random,
): HostSlots {
  const hosts = new Map<string, { running: number; waiting: (() => void)[] }>();

  function release(key: string): void {
    const host = hosts.get(key);
    if (!host) return;
    const next = host.waiting.shift();
    if (next) return next();
    host.running -= 1;
    if (host.running === 0) hosts.delete(key);
  }

  function releaseOnce(key: string): () => void {
    let released = false;
    return () => {
      if (!released) release(key);
      released = true;
    };
  }

  return {
    async enter(tenantId, name, signal) {
      signal.throwIfAborted();
      const key = `${tenantId}/${name}`;
      const host = hosts.get(key) ?? { running: 0, waiting: [] };
      hosts.set(key, host);
      if (host.running < atOnce) {
        host.running += 1;
        return releaseOnce(key);
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const leave = (reason: unknown): void => {
        const at = host.waiting.indexOf(resolve);
        if (at >= 0) host.waiting.splice(at, 1);
        reject(reason);
      };
      const timer = setTimeout(() => leave(new HostBusy(LEAST_SECONDS + random() * SPREAD_SECONDS)), waitMs);
      const onAbort = (): void => leave(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      host.waiting.push(resolve);
      try {
        await promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      }
      return releaseOnce(key);
    },
  };
}
