import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTenantSlots, type TenantSlots } from '../../../api/http/tenant-slots.ts';
import type { LiveChannel, LiveFrame } from '../../../api/live/channel.ts';
import { followChannel } from '../../../api/live/follow-channel.ts';
import type { Orm } from '../../../db/create-orm.ts';
import { AppError, notFound } from '../../../domain/app-error.ts';

const orm = { em: { fork: () => undefined } } as unknown as Orm;
const free = createTenantSlots({ what: 'polls', atOnce: 1, waiting: 1, waitMs: 1000 });
const busy: TenantSlots = {
  acquire: () => Promise.reject(new AppError('RATE_LIMITED', 'busy')),
  run: () => Promise.reject(new AppError('RATE_LIMITED', 'busy')),
};

/** A channel of numbered frames, and the names of channels with a subscription. */
function setUp(channel: Partial<LiveChannel>, slots: () => TenantSlots = () => free) {
  const subscribed: string[] = [];
  const changes = { count: 0 };
  let polls = 0;
  const followed = followChannel(
    {
      orm,
      channelChanges: {
        subscribe(name, onChange) {
          subscribed.push(name);
          const changing = setInterval(() => {
            changes.count += 1;
            onChange();
          }, 1);
          return () => {
            clearInterval(changing);
            subscribed.splice(subscribed.indexOf(name), 1);
          };
        },
        close: () => undefined,
      },
      livePolls: {
        acquire: (...given) => slots().acquire(...given),
        run: (...given) => slots().run(...given),
      },
      draining: () => false,
    },
    {
      name: 'file.x',
      ended: false,
      poll: async () => [{ seq: (polls += 1) } as LiveFrame],
      ...channel,
    },
    { tenantId: 'a', signal: new AbortController().signal },
  );
  return { followed, subscribed, changes };
}

test('a subscription starts only once the channel was found, and only if it can still change', async () => {
  const absent = setUp({ poll: () => Promise.reject(notFound('file')) });
  await assert.rejects(absent.followed.next(), { code: 'NOT_FOUND' });
  const ended = setUp({ ended: true });
  assert.equal((await ended.followed.next()).done, false);
  const open = setUp({});
  await open.followed.next();
  assert.deepEqual([absent.subscribed, ended.subscribed, open.subscribed], [[], [], ['file.x']]);
  await open.followed.return();
  assert.deepEqual(open.subscribed, []);
});

test('only the first poll is refused for lack of a slot, and later polls are skipped', async () => {
  let slots = busy;
  const refused = setUp({}, () => slots);
  await assert.rejects(refused.followed.next(), { code: 'RATE_LIMITED' });

  slots = free;
  const { followed } = setUp({}, () => slots);
  const seen = [];
  for (const next of [free, busy, free]) {
    slots = next;
    seen.push((await followed.next()).value);
  }
  assert.deepEqual(seen, [[{ seq: 1 }], [], [{ seq: 2 }]]);
  await followed.return();
});

test('changes in quick succession cause a single poll', async () => {
  const { followed, changes } = setUp({});
  await followed.next();
  for (const seq of [2, 3]) {
    changes.count = 0;
    assert.deepEqual((await followed.next()).value, [{ seq }]);
    assert.ok(changes.count > 10, `${changes.count} changes`);
  }
  await followed.return();
});
