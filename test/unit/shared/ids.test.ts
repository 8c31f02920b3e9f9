import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { isUuid } from '../../../services/shared/sql.ts';

test('an id is a complete UUID in either case, without surrounding text', () => {
  const id = randomUUID();
  for (const text of [id, id.toUpperCase()]) assert.equal(isUuid(text), true, text);
  const others = [
    '',
    id.slice(0, 8),
    id.replaceAll('-', ''),
    `${id}\n`,
    ` ${id}`,
    `{${id}}`,
    id.replace(/^./, 'g'),
  ];
  for (const text of others) assert.equal(isUuid(text), false, text);
});
