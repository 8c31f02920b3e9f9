import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import fc from 'fast-check';
import { createFairSlots } from '../../../../adapters/hosts/fair-slots.ts';

const never = new AbortController().signal;

/**
 * Work that holds its slot until it is ended by name; `order` has the names in the order in which they
 * started.
 */
function createWork(count: number) {
  const slots = createFairSlots(count);
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

test('a single tenant takes all slots and waits in order', async () => {
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

test('a slot is reserved for a tenant that recently had work, but only for a while', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const work = createWork(2);
    for (const name of ['a1', 'a2', 'a3', 'a4']) void work.ask(name);
    void work.ask('b1');
    await settled();
    await work.end('a1');
    await work.end('b1');
    assert.deepEqual(work.order, ['a1', 'a2', 'b1'], 'the slot is reserved');
    void work.ask('b2');
    await settled();
    assert.equal(work.order.at(-1), 'b2', 'the next task of the tenant gets the reserved slot');
    await work.end('b2');
    mock.timers.tick(60_000);
    await settled();
    assert.equal(work.order.at(-1), 'a3');
  } finally {
    mock.timers.reset();
  }
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
        const slots = createFairSlots(count);
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
        // The remaining calls wait until the other tenant has been idle for a while.
        assert.ok(new Set(waiting).size <= 1);
      },
    ),
    { numRuns: 50 },
  );
});

describe('with one slot reserved for other tenants', () => {
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
