import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDice } from '../../../lab/shared/dice.ts';
import { prepareUploads } from '../../../lab/soak/uploads.ts';

test('a soak sends images and documents of every kind, each once', async () => {
  const nextUpload = await prepareUploads(createDice(1));
  const uploads = Array.from({ length: 400 }, nextUpload);
  const documents = uploads.filter(({ contentType }) => !contentType.startsWith('image/'));
  assert.ok(documents.length > 20 && documents.length < 60, `${documents.length} documents`);
  const kinds = new Set(uploads.map(({ name }) => name.split('.').at(-1)));
  assert.deepEqual([...kinds].toSorted(), ['docx', 'jpg', 'md', 'pdf', 'png']);
  assert.equal(new Set(uploads.map(({ bytes }) => bytes.toString('latin1'))).size, uploads.length);
});
