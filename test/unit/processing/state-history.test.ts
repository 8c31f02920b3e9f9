import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import proto from '@temporalio/proto';
import { inconsistencies, stateHistory } from '../../support/state-history.ts';

/**
 * Snapshots are compared with the recorded history of a retry, which runs step by step: correct snapshots are
 * accepted and altered ones detected.
 */
const HISTORIES = new URL('../../replay/histories/', import.meta.url);
const [file = ''] = globSync('process-file-*-retried.json', { cwd: HISTORIES });
const { history } = JSON.parse(readFileSync(new URL(file, HISTORIES), 'utf8')) as { history: object };
const states = stateHistory([proto.temporal.api.history.v1.History.fromObject(history)]);

const SECOND_MS = 1000;
const [start, end] = [states[0]?.at ?? 0, states.at(-1)?.at ?? 0];
const firstAt = (component: string, status: string) =>
  states.find(({ statuses }) => statuses[component] === status)?.at ?? NaN;

/** A snapshot whose request and response have the same time. */
const contradictionsAt = (at: number, statuses: Record<string, string>) =>
  inconsistencies(states, { fileId: 'file', askedAt: at, answeredAt: at, statuses });

test('a status that the history had at the time is accepted', () => {
  for (const { at, statuses } of states) assert.deepEqual(contradictionsAt(at, statuses), []);
  assert.deepEqual(contradictionsAt(start - SECOND_MS, { variant: 'queued', description: 'queued' }), []);
  assert.deepEqual(contradictionsAt(end + SECOND_MS, { variant: 'completed', description: 'completed' }), []);
});

test('a response may be as old as its request, and may show a write that is recorded later', () => {
  const whileItRan = { fileId: 'file', askedAt: start - SECOND_MS, answeredAt: end + SECOND_MS };
  for (const { statuses } of states)
    assert.deepEqual(inconsistencies(states, { ...whileItRan, statuses }), []);
  const beforeItsMarker = (states.findLast(({ written }) => written)?.at ?? 0) - 1;
  assert.deepEqual(contradictionsAt(beforeItsMarker, { description: 'completed' }), []);
});

test('an altered snapshot is detected', () => {
  const later = end + SECOND_MS;
  assert.deepEqual(contradictionsAt(later, { variant: 'completed', description: 'failed' }), [
    'description failed, where the history has completed',
  ]);
  assert.equal(contradictionsAt(later, { variant: 'processing' }).length, 1, 'a row that was never updated');
  assert.equal(
    contradictionsAt(start - SECOND_MS, { variant: 'completed' }).length,
    1,
    'an end before the start',
  );
  const decoding = firstAt('variant', 'processing');
  assert.equal(
    contradictionsAt(decoding, { description: 'completed' }).length,
    1,
    'an end in the wrong order',
  );
  assert.equal(
    contradictionsAt(decoding, { variant: 'skipped' }).length,
    1,
    'a status that the run never had',
  );
});

test('before the run of a retry starts, only the statuses that the retry wrote to the row are accepted', () => {
  const day = 86_400_000;
  const again = states.map((state) => ({ ...state, at: state.at + day }));
  const between = { fileId: 'file', askedAt: end + SECOND_MS, answeredAt: end + SECOND_MS };
  const check = (description: string) =>
    inconsistencies([...states, ...again], { ...between, statuses: { description } });
  assert.deepEqual(check('queued'), []);
  assert.deepEqual(check('completed'), []);
  assert.equal(check('processing').length, 1);
});
