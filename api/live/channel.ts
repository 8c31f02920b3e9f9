import type { EntityManager } from '@mikro-orm/postgresql';
import type { Action } from '../../domain/accounts/access.ts';
import type { ApiDeps } from '../deps.ts';

/** Reading what a channel shows is reading the files of the tenant, by polling or live. */
export const LIVE_ACTION: Action = 'files.read';

/** One message of a live channel. */
export interface LiveFrame {
  channel: string;
  /** Version of what the channel follows: never decreases, and is the same on every replica. */
  seq: number;
  type: string;
  timestamp: string;
  data: unknown;
}

/**
 * What was sent to one subscriber of a live channel so far. Each poll builds the next frames from the rows, so that they
 * agree with the polling endpoints.
 */
export interface LiveChannel {
  /** With the whole id, in lower case. */
  readonly name: string;
  /** Whether the last frame was returned: only a retry changes anything after it, which needs a new subscription. */
  readonly ended: boolean;
  /**
   * The frames since the last poll; none when nothing has changed.
   *
   * @throws AppError NOT_FOUND, also for what was deleted meanwhile
   */
  poll(em: EntityManager): Promise<LiveFrame[]>;
}

export type ChannelDeps = Pick<ApiDeps, 'orm' | 'engine' | 'objects'>;

/** What a subscriber asks for. */
export interface ChannelRequest {
  tenantId: string;
  id: string;
  /** The last `seq` that the client has seen; 0 for none. */
  after: number;
}
