import { Gauge } from 'prom-client';
import { MAX_LIVE_CONNECTIONS } from '../../domain/limits.ts';
import { AppError } from '../../domain/app-error.ts';

const RETRY_AFTER_SECONDS = 30;

const connections = new Gauge({
  name: 'darkroom_live_connections',
  help: 'Open live connections: WebSockets and event streams',
});

/** How many live connections each tenant holds to this process, of either kind. */
export interface LivePlaces {
  /**
   * Takes a place for a connection of the tenant.
   *
   * @returns what gives it back; once is enough
   * @throws AppError TOO_MANY_CONNECTIONS
   */
  take(tenantId: string): () => void;
}

export function createLivePlaces(): LivePlaces {
  const held = new Map<string, number>();
  return {
    take(tenantId) {
      const before = held.get(tenantId) ?? 0;
      if (before >= MAX_LIVE_CONNECTIONS) {
        throw new AppError('TOO_MANY_CONNECTIONS', `there are ${before} live connections of this account`, {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        });
      }
      held.set(tenantId, before + 1);
      connections.inc();
      let given = false;
      return () => {
        if (given) return;
        given = true;
        const left = (held.get(tenantId) ?? 1) - 1;
        if (left > 0) held.set(tenantId, left);
        else held.delete(tenantId);
        connections.dec();
      };
    },
  };
}
