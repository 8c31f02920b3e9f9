import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import sharp from 'sharp';
import { createClient, sharedRun } from '../support/api.ts';
import { demoImage } from '../support/images.ts';

const run = sharedRun();
/** Of a tenant in which other tests store no pictures. */
const client = createClient(run, run.tenants.professional.api_key);
const stranger = createClient(run, run.tenants.starter.api_key);

/** A unique copy, so that tests do not find each other's files. */
const marked = (bytes: Uint8Array) =>
  sharp(bytes)
    .composite([
      {
        input: Buffer.from(
          `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><rect x="40" y="10" width="120" height="60" fill="#e0f" transform="rotate(20 100 100)"/><circle cx="90" cy="150" r="44" fill="#0c6"/></svg>`,
        ),
        left: 60,
        top: 40,
      },
    ])
    .png()
    .toBuffer();

test('a recoloured copy ranks first, and the image itself and files of other tenants are excluded', async () => {
  const image = await marked(demoImage('astronaut.webp'));
  const recoloured = await sharp(image).modulate({ hue: 70, saturation: 1.3 }).jpeg().toBuffer();
  const cropped = await sharp(image)
    .extract({ left: 60, top: 60, width: 400, height: 400 })
    .jpeg()
    .toBuffer();
  const { body: folder } = await client.post('/folders', { name: `Recoloured ${randomUUID()}` });
  const ids = await Promise.all([
    client.ingest({ bytes: image, fields: { title: 'Original' } }),
    client.ingest({ bytes: recoloured, fields: { title: 'Recoloured', folder_id: folder.id } }),
    client.ingest({ bytes: cropped, fields: { title: 'Cropped' } }),
    client.ingest({ bytes: demoImage('coffee.jpg') }),
    client.ingest({ bytes: demoImage('rocket.jpg') }),
  ]);
  const foreign = await stranger.ingest({ bytes: image });
  await Promise.all([...ids.map((id) => client.settled(id)), stranger.settled(foreign)]);

  const [original, copy, crop] = ids;
  const { status, body } = await client.get(`/files/${original}/similar`);
  assert.equal(status, 200);
  assert.equal(body.reference_image_id, original);
  assert.equal(body.items[0].image_id, copy);
  assert.equal(body.items[0].title, 'Recoloured');
  assert.deepEqual([body.items[0].folder_id, body.items[1].folder_id], [folder.id, null]);
  assert.ok(body.items.findIndex((item: { image_id: string }) => item.image_id === crop) <= 2);
  const found = body.items.map((item: { image_id: string }) => item.image_id);
  assert.ok(!found.includes(original) && !found.includes(foreign));
  assert.equal(body.total_count, body.items.length);
  const scores: number[] = body.items.map((item: { relevance_score: number }) => item.relevance_score);
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  assert.ok(scores.every((score) => score >= 0 && score <= 1));
  assert.ok(body.items[0].vector_similarity > 0.8 && body.items[0].thumbnail_url.startsWith('http'));

  const one = await client.get(`/files/${original}/similar?limit=1`);
  assert.deepEqual(
    one.body.items.map((item: { image_id: string }) => item.image_id),
    [copy],
  );
});

test('a limit out of range, a foreign file and an unknown file are rejected', async () => {
  const id = await client.ingest({ bytes: demoImage('chelsea.jpg') });
  await client.settled(id);
  for (const limit of ['0', '51', 'x']) {
    assert.equal((await client.get(`/files/${id}/similar?limit=${limit}`)).status, 422, limit);
  }
  assert.equal((await stranger.get(`/files/${id}/similar`)).status, 404);
  assert.equal((await client.get(`/files/${crypto.randomUUID()}/similar`)).status, 404);
});
