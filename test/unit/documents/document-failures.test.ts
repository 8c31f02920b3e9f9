import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyDocumentFailure } from '../../../activities/classify-failures.ts';
import { AppError } from '../../../domain/app-error.ts';
import { BUCKET_FAILURES } from '../../../domain/bucket-failure.ts';

test('missing credits fail a document, and an unusable bucket does not', () => {
  const exhausted = new AppError('QUOTA_EXHAUSTED', 'the credits of this month are used up');
  assert.equal(classifyDocumentFailure(exhausted)?.kind, 'permanent');
  for (const code of BUCKET_FAILURES) {
    assert.equal(classifyDocumentFailure(new AppError(code, 'the bucket cannot be used')), undefined, code);
  }
});
