import { PostgreSqlPlatform } from '@mikro-orm/postgresql';
import fc from 'fast-check';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { escapeLiteral } from '../../../db/create-orm.ts';
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

test('a literal is that of the ORM, whatever the text has', () => {
  const platform = new PostgreSqlPlatform();
  const special = fc.string({
    unit: fc.constantFrom("'", '\\', '?', '"', '\n', 'a', 'ü', '😀', '$', '$1', '$&'),
  });
  fc.assert(
    fc.property(fc.oneof(special, fc.string({ unit: 'binary' })), (text) => {
      assert.equal(escapeLiteral(text), platform.escape(text));
    }),
  );
});
