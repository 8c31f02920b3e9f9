import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTurns } from '../../../adapters/text-work/turns.ts';

const { signal } = new AbortController();

/** Takes a slot for each name in order; `entered` are those whose turn it has been. */
async function waitingFor(slots: number, ...names: string[]) {
  const turns = createTurns(slots);
  const entered: string[] = [];
  for (const name of names) void turns.take(name, signal).then(() => entered.push(name));
  await settled();
  return {
    entered,
    give: async (name: string) => {
      turns.give(name);
      await settled();
    },
  };
}
const settled = () => new Promise(setImmediate);

test('one tenant gets all slots but one', async () => {
  const { entered } = await waitingFor(3, 'a', 'a', 'a', 'a', 'b');
  assert.deepEqual(entered, ['a', 'a', 'b']);
});

test('a free slot goes to the tenant that has the fewest, then to the one served longest ago', async () => {
  const { entered, give } = await waitingFor(2, 'a', 'b', 'a', 'a', 'c', 'b');
  assert.deepEqual(entered, ['a', 'b']);
  await give('b');
  assert.deepEqual(entered.slice(2), ['c']);
  await give('a');
  assert.deepEqual(entered.slice(3), ['a']);
  await give('c');
  assert.deepEqual(entered.slice(4), ['b']);
});

test('whoever leaves gives up the place, and an aborted call gets none', async () => {
  const turns = createTurns(2);
  await turns.take('a', signal);
  const leaving = new AbortController();
  const left = turns.take('a', leaving.signal);
  const next = turns.take('a', signal);
  leaving.abort(new Error('gone'));
  await assert.rejects(left, /gone/);
  turns.give('a');
  await next;
  await assert.rejects(turns.take('b', leaving.signal), /gone/);
});

test('every call gets its turn, and no tenant more slots than it may have', async () => {
  const names = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(names, fc.integer({ min: 2, max: 5 }), async (calls, slots) => {
      const turns = createTurns(slots);
      const held = new Map<string, number>();
      await Promise.all(
        calls.map(async (name) => {
          await turns.take(name, signal);
          held.set(name, (held.get(name) ?? 0) + 1);
          const all = [...held.values()];
          assert.ok((held.get(name) ?? 0) < slots && all.reduce((sum, each) => sum + each, 0) <= slots);
          await settled();
          held.set(name, (held.get(name) ?? 0) - 1);
          turns.give(name);
        }),
      );
    }),
  );
});
