import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startDisposableStack } from '../../dev/launcher/disposable-stack.ts';
import type { Stack } from '../../dev/launcher/stack.ts';
import { createClient, type Client } from '../support/api.ts';
import { demoImage } from '../support/images.ts';
import { imageOfText } from '../support/images-of-text.ts';
import { fetchedModels } from '../support/models.ts';

const folder = mkdtempSync(join(tmpdir(), 'models-'));
let stack: Stack;
let client: Client;
before(async () => {
  stack = await startDisposableStack({ ...process.env, MODELS_DIR: folder });
  client = createClient(stack.runInfo);
});
after(async () => {
  await stack.stop({ keepData: false });
  rmSync(folder, { recursive: true, force: true });
});

test('images are measured without models, and seen and read as soon as the models are there', async (context) => {
  const fetched = await fetchedModels();
  if (fetched === undefined) return context.skip('the models cannot be fetched here');
  const before = await client.settled(await client.ingest({ bytes: demoImage('coffee.jpg') }));
  assert.equal(before.full_descriptions[0].provider, 'local');
  assert.match(before.upload_description, /without a vision model\.$/);
  assert.deepEqual(before.detected_objects, []);

  cpSync(fetched, folder, { recursive: true });
  const cat = await client.settled(
    await client.ingest({ bytes: demoImage('chelsea.jpg'), filename: 'one.jpg' }),
  );
  const { provider, model } = cat.full_descriptions[0];
  assert.deepEqual([provider, model], ['embedded', 'efficientnet-lite2-ssdlite']);
  assert.match(cat.upload_description, /^Shows a cat\. /);
  assert.ok(cat.tags.includes('cat'), cat.tags.join());
  const [object] = cat.detected_objects;
  assert.equal(object.label, 'cat');
  assert.ok(object.confidence > 0.7 && object.confidence <= 1);
  const { x_min: left, y_min: top, x_max: right, y_max: bottom } = object.bounding_box;
  assert.ok(left >= 0 && left < right && right <= 1 && top >= 0 && top < bottom && bottom <= 1);
  assert.ok((right - left) * (bottom - top) > 0.3, 'the cat fills much of its picture');

  // A slanted sign, which Tesseract does not read.
  const sign = imageOfText({ width: 900, height: 500, background: '#204060' }, [
    { text: 'Harbour ticket office', x: 80, y: 220, size: 44, colour: '#ffffff' },
  ]);
  const bytes = await sign.rotate(14, { background: '#204060' }).jpeg().toBuffer();
  const read = await client.settled(await client.ingest({ bytes, filename: 'two.jpg' }));
  assert.equal(read.visible_text, 'Harbour ticket office');

  const { body } = await client.get('/files?search=cat');
  assert.deepEqual(
    body.items.map(({ id }: { id: string }) => id),
    [cat.id],
  );
});
