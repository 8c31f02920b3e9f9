import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDice } from '../../../lab/shared/dice.ts';
import { paintContent } from '../../../lab/chaos/contents.ts';
import { APPS, SERVERS, piecesOf, planChaos } from '../../../lab/chaos/plan.ts';

const options = fc.record({
  files: fc.integer({ min: 1, max: 400 }),
  kills: fc.integer({ min: 0, max: 40 }),
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  servers: fc.boolean(),
});

test('a plan delivers every file once and orders its kills', () => {
  fc.assert(
    fc.property(options, (given) => {
      const { deliveries, kills } = planChaos(given);
      const names = deliveries.flatMap(piecesOf).map(({ name }) => name);
      assert.equal(new Set(names).size, given.files);
      assert.equal(names.length, given.files);
      assert.equal(kills.length, given.kills);
      assert.deepEqual(
        kills.map(({ at }) => at),
        kills.map(({ at }) => at).toSorted((a, b) => a - b),
      );
      const allowed: readonly string[] = given.servers ? [...APPS, ...SERVERS] : APPS;
      for (const { victim } of kills) assert.ok(allowed.includes(victim));
    }),
  );
});

test('duplicate content is sent with skip_duplicates', () => {
  fc.assert(
    fc.property(options, (given) => {
      const { deliveries } = planChaos(given);
      const uses = Map.groupBy(deliveries.flatMap(piecesOf), ({ content }) => content);
      for (const delivery of deliveries) {
        if (delivery.route !== 'direct' || delivery.skipDuplicates) continue;
        assert.equal(uses.get(delivery.piece.content)?.length, 1);
      }
    }),
  );
});

test('the same seed gives the same plan and images, another seed different ones', async () => {
  const plan = (seed: number) => planChaos({ files: 60, kills: 6, seed, servers: true });
  assert.deepEqual(plan(3), plan(3));
  assert.notDeepEqual(plan(3), plan(4));
  const painted = await Promise.all([
    paintContent(3, 1, false),
    paintContent(3, 1, false),
    paintContent(3, 2, false),
    paintContent(4, 1, false),
  ]);
  const [first, again, next, other] = painted.map(({ sha256 }) => sha256);
  assert.equal(first, again);
  assert.equal(new Set([first, next, other]).size, 3);
});

test('dice shuffle without loss and stay in range', () => {
  fc.assert(
    fc.property(fc.integer(), fc.array(fc.integer()), (seed, items) => {
      const dice = createDice(seed);
      assert.deepEqual(dice.shuffle(items).toSorted(), items.toSorted());
      const thrown = dice.whole(2, 5);
      assert.ok(thrown >= 2 && thrown <= 5);
    }),
  );
});
