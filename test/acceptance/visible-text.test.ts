import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { createClient, sharedRun } from '../support/api.ts';
import { demoImage } from '../support/images.ts';
import { screenshot } from '../support/images-of-text.ts';

const client = createClient(sharedRun());

test('the text of a screenshot is returned with boxes and used in the description', async () => {
  const id = await client.ingest({
    bytes: await screenshot().png().toBuffer(),
    filename: 'dialog.png',
    fields: { content_category: 'screenshot' },
  });
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'completed');
  assert.equal(file.visible_text, 'Quarterly report\nSeventeen invoices are overdue since March\nContinue');
  assert.deepEqual(
    file.text_regions.map(({ text }: { text: string }) => text),
    file.visible_text.split('\n'),
  );
  const { x_min: left, y_min: top, x_max: right, y_max: bottom } = file.text_regions[2].bounding_box;
  assert.ok(left > 0.8 && right < 0.95 && top > 0.88 && bottom < 1 && left < right && top < bottom);
  assert.match(file.upload_description, /Seventeen invoices are overdue/);

  const { items } = (await client.get('/files?limit=100')).body;
  assert.equal(items.find((item: { id: string }) => item.id === id).visible_text, file.visible_text);
});

test('small print of a large image is read, because the original is read and not a variant', async () => {
  const { width, height } = { width: 3840, height: 2160 };
  const image = await screenshot().png().toBuffer();
  const bytes = await sharp({ create: { width, height, channels: 3, background: '#f4f4f4' } })
    .composite([{ input: image, left: 1200, top: 700 }])
    .jpeg({ quality: 90 })
    .toBuffer();
  const file = await client.settled(await client.ingest({ bytes }));
  assert.match(file.visible_text, /Seventeen invoices are overdue since March/);
});

test('a photograph has no text', async () => {
  const bytes = demoImage('rocket.jpg');
  const file = await client.settled(await client.ingest({ bytes }));
  assert.equal(file.primary_status, 'completed');
  assert.equal(file.visible_text, null);
  assert.deepEqual(file.text_regions, []);
});

test('without auto_describe text is read only on request', async () => {
  const bytes = await screenshot().jpeg().toBuffer();
  const id = await client.ingest({ bytes, fields: { auto_describe: 'false' } });
  assert.equal((await client.settled(id)).visible_text, null);
  const { body } = await client.get(`/files/${id}/timeline`);
  assert.deepEqual(
    body.runs[0].steps.map(({ step }: { step: string }) => step),
    ['renderVariants'],
  );
  assert.equal((await client.get(`/files/${id}/similar`)).status, 409);

  await client.post(`/files/${id}/retry`, { components: ['description'] });
  assert.match((await client.settled(id)).visible_text, /Quarterly report/);
  assert.equal((await client.get(`/files/${id}/similar`)).status, 200);
});
