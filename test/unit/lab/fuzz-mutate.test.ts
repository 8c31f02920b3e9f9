import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyEdits, byteEdits, mutateBytes, mutateText, tokenEdits } from '../../../lab/fuzz/mutate.ts';
import { mutateStream } from '../../../lab/fuzz/files/mutants.ts';
import { readEntries, writeEntries } from '../../../lab/fuzz/files/zip.ts';
import { deflateSync, inflateSync } from 'node:zlib';

const WORD = /\w+/g;
const words = (text: string, ...edits: Parameters<typeof mutateText>[2]) => mutateText(text, WORD, edits);

test('edits change a sequence at positions that wrap around', () => {
  assert.equal(words('a b c', { edit: 'truncate', at: 3 }), 'a b');
  assert.equal(words('a b c', { edit: 'remove', at: 1, length: 2 }), 'a c');
  assert.equal(words('a b', { edit: 'repeat', at: 2, length: 1, times: 2 }), 'a bbb');
  assert.equal(words('a b c', { edit: 'move', at: 0, length: 1, to: 4 }), ' b ca');
  assert.equal(words('a b', { edit: 'insert', at: 0, content: ['x', 'y'] }), 'xya b');
  assert.equal(words('a b', { edit: 'overwrite', at: 4 + 2, content: ['c'] }), 'a c');
});

test('without edits a text is the same, whatever its tokens', () => {
  fc.assert(fc.property(fc.string(), (text) => assert.equal(words(text), text)));
});

test('edits bound the length, and leave the original as it was', () => {
  const original = Buffer.from('The harbour is quiet.');
  fc.assert(
    fc.property(byteEdits(), (edits) => {
      assert.ok(mutateBytes(original, edits).length <= 2 ** 20 + 8 * 4096);
      assert.equal(original.toString(), 'The harbour is quiet.');
    }),
  );
});

test('the seed determines the edits', () => {
  const sample = () => fc.sample(tokenEdits(['x']), { seed: 7, numRuns: 20 });
  assert.deepEqual(sample(), sample());
});

test('an edit that would make a sequence too long is left out', () => {
  const long = Array.from({ length: 2 ** 19 }, () => 'a');
  const edit = { edit: 'repeat', at: 0, length: 2 ** 19, times: 2 } as const;
  assert.equal(applyEdits<readonly string[]>(long, [edit], (pieces) => pieces.flat()).length, 2 ** 19);
});

test('the compressed stream of a PDF is edited as text', () => {
  const content = deflateSync('BT (harbour) Tj ET');
  const pdf = Buffer.concat([
    Buffer.from('1 0 obj <<>> stream\n'),
    content,
    Buffer.from('\nendstream endobj'),
  ]);
  const changed = Buffer.from(mutateStream(pdf, 0, [{ edit: 'overwrite', at: 0, content: ['ET'] }]));
  const start = changed.indexOf('stream\n') + 'stream\n'.length;
  assert.equal(inflateSync(changed.subarray(start)).toString(), 'ET (harbour) Tj ET');
});

test('the entries of an archive round-trip', async () => {
  const entries = [
    { name: 'a.xml', content: Buffer.from('<a/>') },
    { name: 'b/c.xml', content: Buffer.from('') },
  ];
  assert.deepEqual(await readEntries(await writeEntries(entries)), entries);
});
