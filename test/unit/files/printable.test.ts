import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApplicationFailure } from '@temporalio/common';
import fc from 'fast-check';
import { printable } from '../../../domain/text.ts';
import { failureReason } from '../../../temporal/contract/failures.ts';

test('any text becomes storable in a database', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (text) => {
      const safe = printable(text);
      assert.ok(safe.isWellFormed() && safe.length <= 2000);
      assert.doesNotMatch(safe, /\p{Cc}/u);
    }),
  );
});

test('safe text is left unchanged', () => {
  assert.equal(printable('the model answered 429: “später”, 時間'), 'the model answered 429: “später”, 時間');
});

test('failure reasons contain no NUL', () => {
  const failure = ApplicationFailure.create({ type: 'A\u0000B', message: 'a\u0000b\ud800' });
  assert.deepEqual(failureReason(failure), { code: 'A B', message: 'a b\ufffd' });
});
