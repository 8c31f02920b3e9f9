import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTemporary } from '../../../lab/shared/http.ts';
import { breachesOf, creditsOf, findProblems } from '../../../lab/chaos/verdict.ts';

const acknowledgement = (name: string, fileId: string, sha256: string) => ({ name, fileId, sha256 });
const done = (id: string) => ({ id, primaryStatus: 'completed' });

test('stored files and duplicates that share an id are not a breach', () => {
  const acknowledged = [
    acknowledgement('a', '1', 'x'),
    acknowledgement('b', '1', 'x'),
    acknowledgement('c', '2', 'y'),
  ];
  assert.deepEqual(breachesOf(findProblems(['a', 'b', 'c'], acknowledged, [done('1'), done('2')])), []);
});

test('lost, undelivered, duplicated and unfinished files are distinguished', () => {
  const one = [acknowledgement('a', '1', 'x')];
  assert.equal(findProblems(['a'], one, []).lost.length, 1);
  assert.equal(findProblems(['a', 'b'], one, [done('1')]).undelivered.length, 1);
  assert.equal(findProblems(['a'], one, [done('1'), done('2')]).duplicated.length, 1);
  assert.equal(findProblems(['a'], one, [{ id: '1', primaryStatus: 'processing' }]).unfinished.length, 1);
  assert.equal(findProblems(['a'], one, [{ id: '1', primaryStatus: 'failed' }]).unfinished.length, 1);
  const failed = { id: '1', primaryStatus: 'failed', explanation: 'failed: the original is gone' };
  assert.deepEqual(findProblems(['a'], one, [failed]).unfinished, ['1 is failed: the original is gone']);
  const twice = [acknowledgement('a', '1', 'x'), acknowledgement('b', '2', 'x')];
  assert.match(findProblems(['a', 'b'], twice, [done('1'), done('2')]).duplicated[0] ?? '', /different ids/);
  const mixed = [acknowledgement('a', '1', 'x'), acknowledgement('b', '1', 'y')];
  assert.match(findProblems(['a', 'b'], mixed, [done('1')]).duplicated[0] ?? '', /the same id/);
});

test('only temporary errors are retried', () => {
  const patient = [500, 503, 429, 408].map((status) => isTemporary({ status, body: {} }));
  assert.deepEqual(patient, [true, true, true, true]);
  assert.equal(isTemporary({ status: 409, body: { code: 'REQUEST_IN_FLIGHT' } }), true);
  assert.equal(isTemporary({ status: 409, body: { code: 'HASH_MISMATCH' } }), false);
  for (const status of [200, 201, 202, 400, 404, 422]) {
    assert.equal(isTemporary({ status, body: {} }), false);
  }
});

test('the expected credits count each content once, pages beyond the first five, and extractions', () => {
  const piece = (kind: 'png' | 'pdf' | 'link' | 'video', content: number, pages = 1) => ({
    name: `${kind} ${content}`,
    kind,
    content,
    pages,
  });
  const cost = (extractions: number, ...pieces: ReturnType<typeof piece>[]) =>
    creditsOf({ deliveries: [{ route: 'client', pieces }], faults: [], tasks: [] }, extractions);
  assert.equal(cost(0, piece('png', 1), piece('png', 1)), 1);
  assert.deepEqual(
    [1, 5, 6, 200].map((pages) => cost(0, piece('pdf', 1, pages))),
    [2, 2, 3, 41],
  );
  assert.equal(cost(3), 6);
});
