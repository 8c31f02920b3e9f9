import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { pointId } from '../../../services/images/index-images.ts';

test('the id of a vector is a UUIDv5 that is unique to its file and model', () => {
  const [file, other] = [randomUUID(), randomUUID()];
  const id = pointId(file, 'local-v1');
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(pointId(file, 'local-v1'), id);
  assert.equal(new Set([id, pointId(other, 'local-v1'), pointId(file, 'local-v2')]).size, 3);
});
