import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { LiveFollower } from '../../../db/entities/shared/live-follower.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { channelName } from '../../../domain/live-channels.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { createChannelChanges } from '../../../services/shared/channel-changes.ts';
import { eventually, sharedRun } from '../../support/api.ts';
import { ingestImage } from '../../support/ingest-image.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';

/** The used subset of a `pg` connection. */
interface Listener {
  query(sql: string): Promise<unknown>;
  on(event: 'notification', received: (notification: { payload: string }) => void): void;
  release(destroy: boolean): void;
}

/** Notifications of writes to files, sent to followed channels only. */
const orm = createOrm(readConfig([databaseConfig], process.env));
const received: string[] = [];
let listener: Listener;
let tenantId: string;

before(async () => {
  ({ tenantId } = await createOwnTenant(orm, sharedRun()));
  const pool = (await orm.em.getConnection().getNativeClient()) as { connect(): Promise<Listener> };
  listener = await pool.connect();
  listener.on('notification', ({ payload }) => void received.push(payload));
  await listener.query('listen live_channels');
});
after(async () => {
  listener?.release(true);
  await orm.close(true);
});

const followed = (channel: string) => orm.em.fork().count(LiveFollower, { channel });
/** The Postgres processes of the listening connections. */
async function listeners(): Promise<number[]> {
  const rows = await orm.em
    .fork()
    .execute<{ pid: number }[]>(
      `select pid from pg_stat_activity where query like 'insert into live_followers%' or query like 'delete from live_followers%'`,
    );
  return rows.map(({ pid }) => pid);
}
const write = (id: string) => orm.em.fork().nativeUpdate(StoredFile, { id }, { updatedAt: new Date() });

test('a write notifies the channel of its file if it is followed, and no other channel', async () => {
  const [quiet, watched] = [
    await ingestImage(orm.em.fork(), tenantId),
    await ingestImage(orm.em.fork(), tenantId),
  ];
  const channel = channelName('file', watched.id);
  const changes = createChannelChanges(orm, (error) => assert.fail(String(error)));
  let calls = 0;
  const leave = changes.subscribe(channel, () => (calls += 1));
  // A second subscriber of this process that unsubscribes does not affect the first one.
  changes.subscribe(channel, () => undefined)();
  await eventually(async () => assert.ok(calls >= 1));
  const begun = calls;
  await write(quiet.id);
  await write(watched.id);
  await eventually(async () => assert.equal(calls, begun + 1));
  await eventually(async () => assert.ok(received.includes(channel)));
  assert.ok(!received.includes(channelName('file', quiet.id)));

  leave();
  await eventually(async () => assert.equal(await followed(channel), 0));
  changes.close();
});

test('a follower that lost its connection listens again, and a dead follower is removed by another one', async () => {
  const { id } = await ingestImage(orm.em.fork(), tenantId);
  const channel = channelName('file', id);
  const dead = { channel: channelName('file', randomUUID()), connection: randomUUID() };
  await orm.em.fork().insert(LiveFollower, { ...dead, expiresAt: new Date(0) });
  const others = await listeners();
  const changes = createChannelChanges(orm, () => undefined);
  let calls = 0;
  changes.subscribe(channel, () => (calls += 1));
  await eventually(async () => assert.ok(calls >= 1));
  assert.equal(await followed(dead.channel), 0);

  const begun = calls;
  const [own] = (await listeners()).filter((pid) => !others.includes(pid));
  await orm.em.fork().execute('select pg_terminate_backend(?)', [own]);
  await eventually(async () => assert.ok(calls > begun, 'it listens again'));
  await eventually(async () => {
    const before = calls;
    await write(id);
    await eventually(async () => assert.ok(calls > before), 2);
  });
  changes.close();
});
