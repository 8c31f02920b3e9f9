import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { temporalConfig } from '../../../temporal/config.ts';
import { createEngine } from '../../../temporal/client.ts';
import { historyName } from '../../../temporal/history-name.ts';

test('a name fits into a summary whatever its characters, and is the file name or the beginning of it', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'grapheme', maxLength: 255 }), fc.constant('"'.repeat(196))),
      (filename) => {
        const name = historyName({ historyNames: true }, filename) ?? '';
        assert.ok(Buffer.byteLength(JSON.stringify(name)) <= 205);
        assert.ok(name === filename || (name.endsWith('…') && filename.startsWith(name.slice(0, -1))));
        if (Buffer.byteLength(JSON.stringify(filename)) <= 202) assert.equal(name, filename);
      },
    ),
  );
});

test('names are included by default, and HISTORY_NAMES=off omits them', () => {
  for (const [env, expected] of [
    [{}, 'a.jpg'],
    [{ HISTORY_NAMES: '' }, 'a.jpg'],
    [{ HISTORY_NAMES: 'on' }, 'a.jpg'],
    [{ HISTORY_NAMES: 'off' }, undefined],
  ] as const) {
    assert.equal(historyName(createEngine(readConfig([temporalConfig], env)), 'a.jpg'), expected);
  }
  assert.throws(() => readConfig([temporalConfig], { HISTORY_NAMES: 'perhaps' }), /HISTORY_NAMES/);
});
