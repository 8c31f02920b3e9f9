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
  on(event: 'notification', heard: (notification: { payload: string }) => void): void;
  release(destroy: boolean): void;
}

/** Who is notified of the writes of files. */
const orm = createOrm(readConfig([databaseConfig], process.env));
const heard: string[] = [];
let listener: Listener;
let tenantId: string;

before(async () => {
  ({ tenantId } = await createOwnTenant(orm, sharedRun()));
  const pool = (await orm.em.getConnection().getNativeClient()) as { connect(): Promise<Listener> };
  listener = await pool.connect();
  listener.on('notification', ({ payload }) => void heard.push(payload));
  await listener.query('listen live_channels');
});
after(async () => {
  listener?.release(true);
  await orm.close(true);
});

const followed = (channel: string) => orm.em.fork().count(LiveFollower, { channel });
/** The processes of the database that serve those who listen. */
async function listeners(): Promise<number[]> {
  const rows = await orm.em
    .fork()
    .execute<{ pid: number }[]>(
      `select pid from pg_stat_activity where query like 'insert into live_followers%' or query like 'delete from live_followers%'`,
    );
  return rows.map(({ pid }) => pid);
}
const write = (id: string) => orm.em.fork().nativeUpdate(StoredFile, { id }, { updatedAt: new Date() });

test('a write notifies of a channel that is followed, and of no other', async () => {
  const [quiet, watched] = [
    await ingestImage(orm.em.fork(), tenantId),
    await ingestImage(orm.em.fork(), tenantId),
  ];
  const channel = channelName('file', watched.id);
  const changes = createChannelChanges(orm, (error) => assert.fail(String(error)));
  let calls = 0;
  const leave = changes.subscribe(channel, () => (calls += 1));
  // A second subscriber of this process, and one that leaves, change nothing for the first.
  changes.subscribe(channel, () => undefined)();
  await eventually(async () => assert.ok(calls >= 1));
  const begun = calls;
  await write(quiet.id);
  await write(watched.id);
  await eventually(async () => assert.equal(calls, begun + 1));
  await eventually(async () => assert.ok(heard.includes(channel)));
  assert.ok(!heard.includes(channelName('file', quiet.id)));

  leave();
  await eventually(async () => assert.equal(await followed(channel), 0));
  changes.close();
});

test('a follower that lost its connection listens again, and one that died is removed by another', async () => {
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
  await eventually(async () => assert.ok(calls > begun, 'it has begun again'));
  await eventually(async () => {
    const before = calls;
    await write(id);
    await eventually(async () => assert.ok(calls > before), 2);
  });
  changes.close();
});
