import { Gauge } from 'prom-client';
import { MAX_LIVE_CONNECTIONS } from '../../domain/limits.ts';
import { AppError } from '../../domain/app-error.ts';

const RETRY_AFTER_SECONDS = 30;

const connections = new Gauge({
  name: 'darkroom_live_connections',
  help: 'Open live connections: WebSockets and event streams',
});

/** Limits the live connections of each tenant to this process, of both kinds together. */
export interface LiveConnectionLimit {
  /**
   * Acquires a slot for a connection of the tenant.
   *
   * @returns an idempotent function that releases the slot
   * @throws AppError TOO_MANY_CONNECTIONS
   */
  acquire(tenantId: string): () => void;
}

export function createLiveConnectionLimit(): LiveConnectionLimit {
  const open = new Map<string, number>();
  return {
    acquire(tenantId) {
      const before = open.get(tenantId) ?? 0;
      if (before >= MAX_LIVE_CONNECTIONS) {
        throw new AppError('TOO_MANY_CONNECTIONS', `there are ${before} live connections of this account`, {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      }
      open.set(tenantId, before + 1);
      connections.inc();
      let released = false;
      return () => {
        if (released) return;
        released = true;
        const left = (open.get(tenantId) ?? 1) - 1;
        if (left > 0) open.set(tenantId, left);
        else open.delete(tenantId);
        connections.dec();
      };
    },
  };
}
