import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createFairSlots } from '../../../../engines/hosts/fair-slots.ts';
import { keptSlots, withKeptSlots } from '../../../../domain/kept-slots.ts';

const never = new AbortController().signal;

/**
 * Work that holds its slot until it is ended by name; `order` has the names in the order in which they
 * started.
 */
function createWork(count: number) {
  const slots = createFairSlots(count, 0);
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    order,
    ask(name: string, signal = never): Promise<void> {
      return slots.acquire(name.charAt(0), signal).then((release) => {
        order.push(name);
        ends.set(name, release);
      });
    },
    async end(name: string): Promise<void> {
      ends.get(name)?.();
      ends.delete(name);
      await settled();
    },
  };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('where none is kept, a single tenant takes all slots and waits in order', async () => {
  const work = createWork(2);
  for (const name of ['a1', 'a2', 'a3', 'a4']) void work.ask(name);
  await settled();
  assert.deepEqual(work.order, ['a1', 'a2']);
  await work.end('a2');
  await work.end('a1');
  assert.deepEqual(work.order, ['a1', 'a2', 'a3', 'a4']);
});

test('a waiting tenant is served before the backlog of another', async () => {
  const work = createWork(2);
  for (let number = 1; number <= 20; number += 1) void work.ask(`a${number}`);
  void work.ask('b1');
  void work.ask('b2');
  await settled();
  await work.end('a1');
  assert.deepEqual(work.order, ['a1', 'a2', 'b1']);
  await work.end('b1');
  assert.deepEqual(work.order.at(-1), 'b2');
});

test('tenants that come and go do not pass one that waits', async () => {
  const work = createWork(1);
  for (const name of ['a1', 'b1', 'a2']) void work.ask(name);
  await settled();
  await work.end('a1');
  assert.equal(work.order.at(-1), 'b1');
  for (const [next, last] of [
    ['c1', 'b1'],
    ['b2', 'a2'],
  ] as const) {
    void work.ask(next);
    await work.end(last);
  }
  assert.deepEqual(work.order, ['a1', 'b1', 'a2', 'c1']);
});

test('an aborted wait rejects with the reason and takes no slot', async () => {
  const work = createWork(1);
  await work.ask('a1');
  const impatient = new AbortController();
  const waiting = work.ask('b1', impatient.signal);
  impatient.abort(new Error('no longer wanted'));
  await assert.rejects(waiting, /no longer wanted/);
  await assert.rejects(work.ask('b2', AbortSignal.abort(new Error('too late'))), /too late/);
  await work.end('a1');
  await work.ask('a2');
});

test('slots are never exceeded, and while others wait no tenant gets more than its share', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 40 }),
      async (count, senders) => {
        const slots = createFairSlots(count, 0);
        const waiting = [...senders];
        const running: string[] = [];
        const releases: (() => void)[] = [];
        for (const tenant of senders) {
          void slots.acquire(tenant, never).then((release) => {
            const others = new Set(waiting.filter((other) => other !== tenant));
            waiting.splice(waiting.indexOf(tenant), 1);
            running.push(tenant);
            releases.push(release);
            assert.ok(running.length <= count);
            const held = running.filter((other) => other === tenant).length;
            const fewest = [...others].map((other) => running.filter((each) => each === other).length);
            assert.ok(fewest.every((other) => held <= other + 1) || releases.length <= count);
          });
        }
        await settled();
        while (releases.length > 0) {
          running.shift();
          releases.shift()?.();
          await settled();
        }
        assert.deepEqual(waiting, []);
      },
    ),
    { numRuns: 50 },
  );
});

describe('with one slot kept for other tenants', () => {
  /** Requests a slot for each name in order; `order` has the names that got one. */
  async function waitingFor(count: number, ...names: string[]) {
    const slots = createFairSlots(count, 1);
    const order: string[] = [];
    const held: [string, () => void][] = [];
    for (const name of names)
      void slots.acquire(name, never).then((release) => {
        order.push(name);
        held.push([name, release]);
      });
    await settled();
    const give = async (name: string) => {
      const [[, release] = []] = held.splice(
        held.findIndex(([holder]) => holder === name),
        1,
      );
      release?.();
      await settled();
    };
    return { order, give };
  }

  test('one tenant gets all slots except one', async () => {
    const { order } = await waitingFor(3, 'a', 'a', 'a', 'a', 'b');
    assert.deepEqual(order, ['a', 'a', 'b']);
  });

  test('a free slot goes to the tenant with the fewest, then to the one served longest ago', async () => {
    const { order, give } = await waitingFor(2, 'a', 'b', 'a', 'a', 'c', 'b');
    assert.deepEqual(order, ['a', 'b']);
    await give('b');
    assert.deepEqual(order.slice(2), ['c']);
    await give('a');
    assert.deepEqual(order.slice(3), ['a']);
    await give('c');
    assert.deepEqual(order.slice(4), ['b']);
  });

  test('every call gets its slot, and no tenant exceeds its limit', async () => {
    const names = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(names, fc.integer({ min: 2, max: 5 }), async (calls, count) => {
        const slots = createFairSlots(count, 1);
        const held = new Map<string, number>();
        await Promise.all(
          calls.map(async (name) => {
            const release = await slots.acquire(name, never);
            held.set(name, (held.get(name) ?? 0) + 1);
            const all = [...held.values()];
            assert.ok((held.get(name) ?? 0) < count && all.reduce((sum, each) => sum + each, 0) <= count);
            await settled();
            held.set(name, (held.get(name) ?? 0) - 1);
            release();
          }),
        );
      }),
    );
  });
});

test('one slot in four is kept, and with the kept ones a tenant alone has as many as were asked for', () => {
  assert.deepEqual([1, 2, 3, 4, 8, 100].map(keptSlots), [0, 1, 1, 1, 2, 25]);
  for (let wanted = 1; wanted <= 200; wanted += 1) {
    const slots = createFairSlots(withKeptSlots(wanted));
    let got = 0;
    while (slots.tryAcquire('a')) got += 1;
    assert.equal(got, wanted);
    assert.ok(slots.tryAcquire('b'));
  }
});

type Step = { tenant: string; does: 'ask' | 'end' };

test('whatever tenants ask for and end: none has the last slots alone, a new one starts at once while one is free, and all are served', async () => {
  const tenant = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const steps = fc.array(fc.record({ tenant, does: fc.constantFrom<Step['does']>('ask', 'ask', 'end') }), {
    maxLength: 80,
  });
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 2, max: 16 }), async (todo, count) => {
      const kept = keptSlots(count);
      const slots = createFairSlots(count);
      const held = new Map<string, (() => void)[]>();
      const waiting = new Map<string, number>();
      const heldBy = (id: string) => held.get(id)?.length ?? 0;
      const free = () => count - [...held.values()].reduce((sum, each) => sum + each.length, 0);
      const change = (id: string, by: number) => waiting.set(id, (waiting.get(id) ?? 0) + by);
      const end = async (id: string) => {
        held.get(id)?.shift()?.();
        await settled();
      };
      for (const { tenant: id, does } of todo) {
        if (does === 'end') {
          await end(id);
          continue;
        }
        const isNew = heldBy(id) === 0 && free() > 0;
        change(id, 1);
        void slots.acquire(id, never).then((release) => {
          change(id, -1);
          const before = heldBy(id);
          held.set(id, [...(held.get(id) ?? []), release]);
          assert.ok(free() >= Math.min(before, kept), `${id} left ${free()} of ${count}`);
        });
        await settled();
        if (isNew) assert.ok(heldBy(id) > 0);
        for (const each of held.keys()) assert.ok(heldBy(each) <= count - kept);
        for (const [each, number] of waiting)
          assert.equal(
            slots.isAwaitedByOthers(each),
            [...waiting].some(([other, n]) => other !== each && n > 0),
            `${number}`,
          );
      }
      for (let round = 0; round < 200 && free() < count; round += 1)
        for (const id of held.keys()) await end(id);
      assert.deepEqual(
        [...waiting.values()].filter((number) => number > 0),
        [],
      );
      assert.equal(free(), count);
    }),
    { numRuns: 100 },
  );
});
