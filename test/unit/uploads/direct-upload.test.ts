import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  applyDirectUploadEvent,
  isDirectUploadOpen,
  NEW_DIRECT_UPLOAD,
  type DirectUploadEvent,
  type DirectUploadState,
} from '../../../domain/uploads/direct-upload.ts';

const reason = fc.record({ code: fc.constantFrom('A', 'B'), message: fc.string() });
const event: fc.Arbitrary<DirectUploadEvent> = fc.oneof(
  fc.constantFrom<DirectUploadEvent>(
    { type: 'bytes_seen' },
    { type: 'complete_requested' },
    { type: 'verified' },
  ),
  fc.record({ type: fc.constant('reopened' as const), reason, bytesGone: fc.boolean() }),
  fc.record({
    type: fc.constantFrom(
      'refused' as const,
      'aborted' as const,
      'expired' as const,
      'workflow_ended' as const,
    ),
    reason,
  }),
);

/** All states that result from the events, in order. */
function statesAfter(events: DirectUploadEvent[]): DirectUploadState[] {
  const states = [NEW_DIRECT_UPLOAD];
  for (const next of events) states.push(applyDirectUploadEvent(states.at(-1) ?? NEW_DIRECT_UPLOAD, next));
  return states;
}

test('in any race an intent ends once, and its outcome is final', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      const states = statesAfter(events);
      const end = states.find(({ status }) => !isDirectUploadOpen(status));
      if (end) assert.equal(states.at(-1), end);
    }),
  );
});

test('an intent is completed only after its completion was requested, and without an error', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      statesAfter(events).forEach((state, index, all) => {
        if (state.status === 'COMPLETED') assert.equal(state.error, null);
        if (state.status === 'FAILED') assert.ok(state.error);
        if (state.status === 'COMPLETED' && all[index - 1]?.status !== 'COMPLETED')
          assert.ok(all[index - 1]?.completeRequested);
      });
    }),
  );
});

test('an open intent expires unless its verification is pending', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), reason, (events, why) => {
      const before = statesAfter(events).at(-1) ?? NEW_DIRECT_UPLOAD;
      const after = applyDirectUploadEvent(before, { type: 'expired', reason: why });
      if (!isDirectUploadOpen(before.status) || before.completeRequested) assert.equal(after, before);
      else assert.deepEqual([after.status, after.error], ['FAILED', why]);
    }),
  );
});

test('a mismatch leaves the intent open with the reason until completion is requested again', () => {
  const why = { code: 'HASH_MISMATCH', message: 'other bytes' };
  const states = statesAfter([
    { type: 'bytes_seen' },
    { type: 'complete_requested' },
    { type: 'reopened', reason: why, bytesGone: true },
    { type: 'complete_requested' },
    { type: 'verified' },
  ]);
  assert.deepEqual(
    states.map(({ status, error }) => [status, error?.code]),
    [
      ['PENDING', undefined],
      ['UPLOADED', undefined],
      ['UPLOADED', undefined],
      ['PENDING', 'HASH_MISMATCH'],
      ['PENDING', undefined],
      ['COMPLETED', undefined],
    ],
  );
});
