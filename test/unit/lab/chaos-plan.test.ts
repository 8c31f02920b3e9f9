import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDice } from '../../../lab/shared/dice.ts';
import { makeContent } from '../../../lab/chaos/contents.ts';
import { APPS, CHILDREN, CONNECTIONS, nameOfFault, PROCESSES } from '../../../lab/chaos/plan-faults.ts';
import { isReadable, piecesOf, planChaos, type Kind } from '../../../lab/chaos/plan.ts';

const options = fc.record({
  files: fc.integer({ min: 1, max: 400 }),
  kills: fc.integer({ min: 0, max: 40 }),
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  videos: fc.boolean(),
  fullDisk: fc.boolean(),
  clocks: fc.boolean(),
});

test('a plan delivers every file once, by a route that accepts its kind', () => {
  fc.assert(
    fc.property(options, (given) => {
      const { deliveries } = planChaos(given);
      const names = deliveries.flatMap(piecesOf).map(({ name }) => name);
      assert.equal(new Set(names).size, given.files);
      assert.equal(names.length, given.files);
      for (const delivery of deliveries) {
        for (const { kind, pages } of piecesOf(delivery)) {
          assert.equal(kind === 'link', delivery.route === 'links');
          if (kind === 'video') assert.ok(given.videos && delivery.route === 'direct');
          if (delivery.route === 'direct' && delivery.mode === 'multipart') assert.equal(kind, 'png');
          assert.ok(pages >= 1 && pages <= 200);
        }
      }
    }),
  );
});

test('files with the same content are of the same kind and size, and are sent with skip_duplicates', () => {
  fc.assert(
    fc.property(options, (given) => {
      const { deliveries } = planChaos(given);
      const uses = Map.groupBy(deliveries.flatMap(piecesOf), ({ content }) => content);
      for (const pieces of uses.values())
        assert.equal(new Set(pieces.map(({ kind, pages }) => `${kind} ${pages}`)).size, 1);
      for (const delivery of deliveries) {
        if (delivery.route !== 'direct' || delivery.skipDuplicates) continue;
        assert.equal(uses.get(delivery.piece.content)?.length, 1);
      }
    }),
  );
});

test('a plan has each kind of file in its share, and documents of few and of many pages', () => {
  const { deliveries } = planChaos({
    files: 2_000,
    kills: 0,
    seed: 1,
    videos: true,
    fullDisk: false,
    clocks: false,
  });
  const pieces = deliveries.flatMap(piecesOf);
  const share = (...kinds: Kind[]) =>
    pieces.filter(({ kind }) => kinds.includes(kind)).length / pieces.length;
  for (const [least, most, ...kinds] of [
    [0.7, 0.74, 'png', 'jpg'],
    [0.18, 0.23, 'pdf', 'scan', 'docx', 'txt', 'md'],
    [0.05, 0.07, 'link'],
    [0.01, 0.02, 'video'],
  ] as const) {
    assert.ok(share(...kinds) >= least && share(...kinds) <= most, `${kinds.join()}: ${share(...kinds)}`);
  }
  const pages = pieces.filter(({ kind }) => kind === 'pdf').map((piece) => piece.pages);
  assert.equal(Math.min(...pages), 1);
  assert.ok(Math.max(...pages) > 150);
});

test('faults are in order, and each victim and connection is hit equally often', () => {
  fc.assert(
    fc.property(options, (given) => {
      const { faults } = planChaos(given);
      const places = faults.map(({ at }) => at);
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      );
      const counts = (kind: string, targets: readonly string[]) =>
        targets.map((target) => faults.filter((fault) => nameOfFault(fault) === `${kind} ${target}`).length);
      const total = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0);
      const kills = counts('kill', [...PROCESSES, ...CHILDREN]);
      const suspensions = counts('suspend', [...PROCESSES, ...CHILDREN]);
      const interruptions = counts('disconnect', CONNECTIONS);
      const jumps = counts('shift clock', APPS);
      for (const each of [kills, suspensions, interruptions, jumps])
        assert.ok(Math.max(...each) - Math.min(...each) <= 1);
      const fills = faults.filter(({ kind }) => kind === 'fill').length;
      const other = Math.round(given.kills / 5);
      assert.deepEqual([total(kills), total(suspensions), total(interruptions)], [given.kills, other, other]);
      assert.equal(fills, given.fullDisk ? Math.min(2, Math.floor(given.kills / 10)) : 0);
      assert.equal(total(jumps), given.clocks ? Math.round(given.kills / 10) : 0);
      assert.equal(faults.length, given.kills + 2 * other + fills + total(jumps));
    }),
  );
});

test('a plan requests extractions only if it has documents, and at least one export of each kind', () => {
  fc.assert(
    fc.property(options, (given) => {
      const { deliveries, tasks } = planChaos(given);
      const kinds = new Set(tasks.map(({ kind }) => kind));
      assert.equal(kinds.has('extraction'), deliveries.flatMap(piecesOf).some(isReadable));
      assert.ok(kinds.has('table') && kinds.has('history'));
    }),
  );
});

test('the same seed gives the same plan, another seed a different one', () => {
  const plan = (seed: number) =>
    planChaos({ files: 60, kills: 6, seed, videos: true, fullDisk: true, clocks: true });
  assert.deepEqual(plan(3), plan(3));
  assert.notDeepEqual(plan(3), plan(4));
});

test('a file has the same bytes whenever it is made, and no other file has them', async () => {
  const urlOf = (content: number) => `http://example.com/${content}`;
  const kinds = ['png', 'jpg', 'pdf', 'scan', 'docx', 'txt', 'md', 'link', 'video'] as const;
  for (const kind of kinds) {
    const make = async (seed: number, content: number) =>
      (await makeContent(seed, { content, kind, pages: 2 }, { large: false, urlOf })).sha256;
    const [first, again, next] = [await make(3, 1), await make(3, 1), await make(3, 2)];
    assert.equal(first, again, kind);
    assert.notEqual(first, next, kind);
    if (kind !== 'link') assert.notEqual(first, await make(4, 1), kind);
  }
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
