import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../../domain/app-error.ts';
import {
  BY_RELEVANCE,
  FILE_SORTS,
  orderBy,
  readCursor,
  writeCursor,
} from '../../../services/files/file-order.ts';

const ID = '81962aa5-ab58-45dd-9094-1a2c215e34f1';
const LIST = [{ deleted: false }, 'title'];
const refused = (read: () => unknown, message: RegExp) =>
  assert.throws(read, (error: unknown) => error instanceof AppError && message.test(error.message));

test('a cursor round-trips', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 255 }), (title) => {
      fc.pre(!title.includes('\0'));
      const place = [title, ID];
      assert.deepEqual(readCursor(writeCursor(LIST, place), LIST, orderBy('title', 'asc')), place);
    }),
  );
  for (const time of [
    '2026-01-02 03:04:05.678+00',
    '2026-01-02 03:04:05.000001+00',
    '-infinity',
    'infinity',
  ]) {
    const cursor = writeCursor(LIST, [time, ID]);
    assert.deepEqual(readCursor(cursor, LIST, orderBy('content_created_at', 'asc')), [time, ID]);
  }
});

test('a cursor of another list and a malformed cursor are rejected', () => {
  const cursor = writeCursor(LIST, ['a', ID]);
  refused(() => readCursor(cursor, [{ deleted: true }, 'title'], orderBy('title', 'asc')), /other filters/);
  for (const garbage of ['x', '{}', Buffer.from('[]').toString('base64url'), `${cursor}A`.slice(4)]) {
    refused(() => readCursor(garbage, LIST, orderBy('title', 'asc')), /no cursor/);
  }
});

test('values that the database would not accept are rejected', () => {
  const bad: [Parameters<typeof orderBy>[0], string[]][] = [
    ['created_at', ['2026-02-31 00:00:00+00', ID]],
    ['created_at', ['0000-01-01 00:00:00+00', ID]],
    ['created_at', ['now', ID]],
    ['created_at', ['2026-01-02 25:04:05+00', ID]],
    ['size_bytes', ['99999999999999999999', ID]],
    ['size_bytes', ['1', 'x']],
    ['title', ['a\0', ID]],
    ['title', ['a']],
  ];
  for (const [sort, place] of bad) {
    refused(() => readCursor(writeCursor(LIST, place), LIST, orderBy(sort, 'asc')), /no cursor/);
  }
  refused(
    () => readCursor(writeCursor(LIST, ['NaN', '2026-01-02 03:04:05+00', ID]), LIST, BY_RELEVANCE),
    /no cursor/,
  );
});

test('any text is rejected without another error', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...FILE_SORTS), (text, sort) => {
      refused(() => readCursor(text, LIST, orderBy(sort, 'desc')), /cursor/);
    }),
  );
});
