import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApplicationFailure } from '@temporalio/common';
import fc from 'fast-check';
import { printable } from '../../../domain/printable.ts';
import { failureReason } from '../../../temporal/contract/failures.ts';

test('any text becomes one that every database can hold', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (text) => {
      const safe = printable(text);
      assert.ok(safe.isWellFormed() && safe.length <= 2000);
      assert.doesNotMatch(safe, /\p{Cc}/u);
    }),
  );
});

test('text that is safe already stays as it is', () => {
  assert.equal(printable('the model answered 429: “später”, 時間'), 'the model answered 429: “später”, 時間');
});

test('the reason of a failure holds no NUL, whoever wrote it', () => {
  const failure = ApplicationFailure.create({ type: 'A\u0000B', message: 'a\u0000b\ud800' });
  assert.deepEqual(failureReason(failure), { code: 'A B', message: 'a b\ufffd' });
});
