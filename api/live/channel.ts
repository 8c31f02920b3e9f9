import type { EntityManager } from '@mikro-orm/postgresql';
import type { Action } from '../../domain/accounts/access.ts';
import type { ApiDeps } from '../deps.ts';

/** Following a channel requires read access to files, as polling does. */
export const LIVE_ACTION: Action = 'files.read';

/** One message of a live channel. */
export interface LiveFrame {
  channel: string;
  /** Version of the resource: never decreases, and is the same on every replica. */
  seq: number;
  type: string;
  timestamp: string;
  data: unknown;
}

/**
 * The state of one subscription to a live channel. Each poll builds the next frames from the rows, so that
 * they agree with the polling endpoints.
 */
export interface LiveChannel {
  /** The channel name with the full id, in lower case. */
  readonly name: string;
  /**
   * Whether the last frame was returned. After it, only a retry can cause changes, which need a new
   * subscription.
   */
  readonly ended: boolean;
  /**
   * The frames since the last poll; none when nothing has changed.
   *
   * @throws AppError NOT_FOUND, also if the resource has been deleted
   */
  poll(em: EntityManager): Promise<LiveFrame[]>;
}

export type ChannelDeps = Pick<ApiDeps, 'orm' | 'engine' | 'objects'>;

/** A request to follow a channel. */
export interface ChannelRequest {
  tenantId: string;
  id: string;
  /** The last `seq` that the client has seen; 0 for none. */
  after: number;
}
