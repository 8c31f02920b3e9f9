import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { incomingKey, uploadOfIncomingKey } from '../../../domain/object-keys.ts';

test('only its tenant can find the upload of an object key', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), fc.uuid(), (tenantId, other, uploadId) => {
      fc.pre(tenantId !== other);
      const key = incomingKey({ tenantId }, uploadId);
      assert.equal(uploadOfIncomingKey(tenantId, key), uploadId);
      assert.equal(uploadOfIncomingKey(other, key), undefined);
    }),
  );
});

test('any other key belongs to no upload', () => {
  const tenantId = '00000000-0000-4000-8000-000000000000';
  fc.assert(fc.property(fc.string(), (key) => assert.equal(uploadOfIncomingKey(tenantId, key), undefined)));
  assert.equal(uploadOfIncomingKey(tenantId, incomingKey({ tenantId }, '')), undefined);
});
