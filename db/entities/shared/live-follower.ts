import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/**
 * A live channel that a process follows on its listening connection. Triggers check this table before they
 * notify, so that a write without followers costs only a lookup. The table is unlogged: followers register
 * their channels again after a crash.
 */
export const LiveFollower = defineEntity({
  name: 'LiveFollower',
  tableName: 'live_followers',
  properties: {
    /** See domain/live-channels.ts. */
    channel: p.text().primary(),
    connection: p.uuid().primary(),
    expiresAt: p.datetime(),
  },
});
export type LiveFollower = InferEntity<typeof LiveFollower>;
