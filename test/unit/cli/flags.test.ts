import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberOf, readFlags, wholeNumber } from '../../../cli/shared/flags.ts';

const FLAGS = {
  files: { type: 'string', default: '100' },
  keep: { type: 'boolean', default: false },
} as const;

test('flags and operands are parsed, with defaults', () => {
  const given = readFlags(['a', '--keep'], FLAGS, 1);
  assert.deepEqual({ ...given?.values }, { files: '100', keep: true });
  assert.deepEqual(given?.positionals, ['a']);
});

test('--help returns undefined', () => {
  for (const args of [['--help'], ['-h', 'too', 'much']]) assert.equal(readFlags(args, FLAGS), undefined);
});

test('unknown flags and operands are reported in one line', () => {
  for (const args of [['a'], ['--nonsense'], ['--files'], ['--keep=1']]) {
    assert.throws(() => readFlags(args, FLAGS), {
      name: 'UsageError',
      message: /^[^\n]+ --help lists the options\.$/,
    });
  }
});

test('a whole number must be within its bounds', () => {
  assert.equal(wholeNumber('--files', '0', 0, 9), 0);
  assert.equal(wholeNumber('--files', '9', 0, 9), 9);
  for (const text of ['', ' ', '-1', '10', '1.5', '1e0', 'x']) {
    assert.throws(
      () => wholeNumber('--files', text, 0, 9),
      { name: 'UsageError', message: /from 0 to 9/ },
      text,
    );
  }
});

test('a number may have a fraction and must be within its bounds', () => {
  assert.equal(numberOf('--minutes', '0.5', 0.1, 9), 0.5);
  assert.equal(numberOf('--minutes', '9', 0.1, 9), 9);
  for (const text of ['', '-1', '0', '.5', '5.', '9.1', '1e0', 'x', 'Infinity']) {
    assert.throws(
      () => numberOf('--minutes', text, 0.1, 9),
      { name: 'UsageError', message: /from 0\.1 to 9/ },
      text,
    );
  }
});
