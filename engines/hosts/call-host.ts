import { traced } from '../../domain/tracing.ts';
import type { Host } from './host.ts';

/** A host that handles concurrent calls and answers them in any order. It starts with the first call. */
export interface CallHost<Request, Reply> {
  /** @throws HostEnded when the host ends before it has replied; the next call starts another */
  call(request: Request): Promise<Reply>;
  /** Ends the current host once it has replied to all calls; the next call starts another. */
  retire(): Promise<void>;
  /** Ends every host at once. */
  kill(): Promise<void>;
}

/** A numbered message to or from the host's module. */
export interface Numbered<Value> {
  id: number;
  value: Value;
}

interface Serving<Reply> {
  host: Host;
  waiting: Map<number, PromiseWithResolvers<Reply>>;
}

/** @param withinMs a host that takes longer for a call is considered hung and is killed */
export function createCallHost<Request, Reply>(
  start: () => Host,
  withinMs?: number,
): CallHost<Request, Reply> {
  const all = new Set<Host>();
  let current: Serving<Reply> | undefined;
  let lastId = 0;

  function begin(): Serving<Reply> {
    const host = start();
    const waiting: Serving<Reply>['waiting'] = new Map();
    all.add(host);
    host.onMessage((message) => {
      const { id, value } = message as Numbered<Reply>;
      const call = waiting.get(id);
      waiting.delete(id);
      if (waiting.size === 0) host.setBusy(false);
      call?.resolve(value);
    });
    void host.ended.then((how) => {
      all.delete(host);
      for (const { reject } of waiting.values()) reject(how);
      waiting.clear();
    });
    return { host, waiting };
  }

  return {
    async call(value) {
      if (!current?.host.isAlive()) current = begin();
      const { host, waiting } = current;
      const id = (lastId += 1);
      const reply = Promise.withResolvers<Reply>();
      // Throws for values that cannot be sent.
      host.post({ id, value } satisfies Numbered<Request>);
      waiting.set(id, reply);
      host.setBusy(true);
      const timer = withinMs === undefined ? undefined : setTimeout(() => void host.kill(), withinMs);
      return traced(host.name, () => reply.promise.finally(() => clearTimeout(timer)));
    },
    async retire() {
      const last = current;
      current = undefined;
      if (!last) return;
      await Promise.allSettled([...last.waiting.values()].map(({ promise }) => promise));
      await last.host.kill();
    },
    async kill() {
      await Promise.all([...all].map((host) => host.kill()));
    },
  };
}
