import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import sharp from 'sharp';
import { createClient, sharedRun } from '../support/api.ts';
import { demoImage } from '../support/images.ts';
import { CORNERS, gpsJpeg, orientedJpeg, quarters, type Orientation } from '../support/sample-images.ts';

const client = createClient(sharedRun());
const SIZES = { tiny_64: 64, small_256: 256, medium_750: 750, large_1024: 1024 };

test('a photograph gets variants, a blur hash, a description and tags, and every step is visible', async () => {
  const bytes = demoImage('coffee.jpg');
  const answer = await client.upload({
    bytes,
    filename: 'coffee.jpg',
    fields: { title: ' Morning ', tags: 'cup, table,cup', content_category: 'product_photo' },
  });
  assert.equal(answer.status, 201);
  assert.equal(answer.body.upload_method, 'STREAMING');
  assert.equal(answer.body.status, 'processing');
  assert.equal(answer.body.media_type, 'image');
  assert.equal(answer.body.skipped, false);

  const id = answer.body.file_id;
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'completed');
  assert.equal(file.variant_status, 'completed');
  assert.equal(file.description_status, 'completed');
  assert.equal(file.title, 'Morning');
  assert.deepEqual(file.tags.slice(0, 2), ['cup', 'table']);
  assert.deepEqual(file.dimensions, { width: 600, height: 400 });
  assert.equal(file.format, 'jpeg');
  assert.equal(file.size_bytes, bytes.length);
  assert.equal(file.content_category, 'product_photo');
  assert.match(file.upload_description, /photograph/);
  assert.match(file.blur_hash, /^[\w#$%*+,./:;=?@[\]^{|}~-]{6,}$/);
  assert.equal(file.variant_count, 4);
  assert.equal(file.full_descriptions.length, 1);
  assert.equal(file.full_descriptions[0].provider, 'local');

  const { body: timeline } = await client.get(`/files/${id}/timeline`);
  assert.equal(timeline.workflow_id, `file/${id}`);
  assert.equal(timeline.explanation, 'Everything is completed.');
  assert.equal(timeline.runs.length, 1);
  assert.deepEqual(
    timeline.runs[0].steps.map((step: { step: string; attempt: number; outcome: string }) => [
      step.step,
      step.attempt,
      step.outcome,
    ]),
    [
      ['renderVariants', 1, 'completed'],
      ['readText', 1, 'completed'],
      ['describeImage', 1, 'completed'],
      ['indexImage', 1, 'completed'],
      ['extractDomains', 1, 'completed'],
    ],
  );
});

test('each variant keeps the aspect ratio, is within its size, and contains no metadata', async () => {
  const id = await client.ingest({ bytes: await gpsJpeg(), filename: 'holiday.jpg' });
  await client.settled(id);
  for (const [type, side] of Object.entries(SIZES)) {
    const { bytes, headers } = await client.follow(`/files/${id}/variant/${type}`);
    const image = await sharp(bytes).metadata();
    assert.ok(Math.max(image.width, image.height) <= side, `${type} is ${image.width} × ${image.height}`);
    assert.equal(image.exif, undefined);
    assert.equal(headers.get('content-type'), 'image/jpeg');
    assert.equal(headers.get('content-disposition'), 'inline');
  }
});

for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8] as Orientation[]) {
  test(`an image of EXIF orientation ${orientation} is rendered upright`, async () => {
    const id = await client.ingest({
      bytes: await orientedJpeg(orientation),
      fields: { auto_describe: 'false' },
    });
    const file = await client.settled(id);
    assert.equal(file.description_status, 'skipped');
    assert.equal(file.primary_status, 'completed');
    const upright = await quarters().metadata();
    assert.deepEqual(file.dimensions, { width: upright.width, height: upright.height });
    const { bytes } = await client.follow(`/files/${id}/variant/small_256`);
    const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const corner = (x: number, y: number) => {
      const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * 3;
      return [...data.subarray(at, at + 3)];
    };
    const expected: [number, number, readonly number[]][] = [
      [0.2, 0.2, CORNERS.topLeft],
      [0.8, 0.2, CORNERS.topRight],
      [0.2, 0.8, CORNERS.bottomLeft],
      [0.8, 0.8, CORNERS.bottomRight],
    ];
    for (const [x, y, colour] of expected) {
      const seen = corner(x, y);
      assert.ok(
        colour.every((value, channel) => Math.abs(value - (seen[channel] ?? 0)) < 40),
        `at ${x}, ${y}: ${seen.join()} instead of ${colour.join()}`,
      );
    }
  });
}

test('PNG, WebP and GIF are recognised by their bytes, not their names', async () => {
  const images = {
    png: await quarters().png().toBuffer(),
    webp: await quarters().webp().toBuffer(),
    gif: await quarters().gif().toBuffer(),
  };
  for (const [format, bytes] of Object.entries(images)) {
    const id = await client.ingest({ bytes, filename: 'wrong.jpg' });
    const file = await client.settled(id);
    assert.equal(file.format, format);
    assert.equal(file.content_type, `image/${format}`);
    assert.equal(file.primary_status, 'completed');
  }
});

test('the original is returned byte for byte, as an attachment with its name', async () => {
  const bytes = demoImage('rocket.jpg');
  const id = await client.ingest({ bytes, filename: 'Rakete "früh" 🚀.jpg' });
  for (const path of [`/files/${id}/download`, `/files/${id}/variant/original`]) {
    const original = await client.follow(path);
    assert.equal(
      createHash('sha256').update(original.bytes).digest('hex'),
      createHash('sha256').update(bytes).digest('hex'),
    );
    const disposition = original.headers.get('content-disposition') ?? '';
    assert.match(disposition, /^attachment; filename="/);
    assert.ok(
      disposition.includes(`filename*=UTF-8''Rakete%20%22fr%C3%BCh%22%20%F0%9F%9A%80.jpg`),
      disposition,
    );
  }
});

test('a file of several parts arrives intact', async () => {
  const noise = await sharp({
    create: {
      width: 3000,
      height: 2200,
      channels: 3,
      background: 'black',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .png({ compressionLevel: 1 })
    .toBuffer();
  assert.ok(noise.length > 10 * 1024 * 1024);
  const id = await client.ingest({ bytes: noise, fields: { auto_describe: 'false' } });
  const original = await client.follow(`/files/${id}/download`);
  assert.ok(original.bytes.equals(noise));
  assert.equal((await client.settled(id)).primary_status, 'completed');
});

test('a file is found by the first 8 characters of its id', async () => {
  const id = await client.ingest({ bytes: demoImage('chelsea.jpg') });
  assert.equal((await client.get(`/files/${id.slice(0, 8)}`)).body.id, id);
});

test('with skip_duplicates the same content returns the existing file', async () => {
  const bytes = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#123456' } })
    .png()
    .toBuffer();
  const first = await client.ingest({ bytes });
  const again = await client.upload({ bytes, fields: { skip_duplicates: 'true' } });
  assert.equal(again.status, 201);
  assert.equal(again.body.status, 'skipped');
  assert.equal(again.body.skipped, true);
  assert.equal(again.body.existing_file_id, first);
  assert.equal(again.body.file_id, first);
  const meant = await client.upload({ bytes });
  assert.notEqual(meant.body.file_id, first);
});

test('20 concurrent uploads of the same content with skip_duplicates create one file', async () => {
  const bytes = await sharp({ create: { width: 41, height: 31, channels: 3, background: '#654321' } })
    .png()
    .toBuffer();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => client.upload({ bytes, fields: { skip_duplicates: 'true' } })),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
  assert.equal(new Set(answers.map(({ body }) => body.file_id)).size, 1);
  assert.equal(answers.filter(({ body }) => !body.skipped).length, 1);
});

test('the list pages, sorts and counts', async () => {
  // Other tests have files in this account.
  const tag = 'listed';
  const ids: string[] = [];
  for (const [title, width] of [
    ['b', 30],
    ['a', 60],
    ['c', 90],
  ] as const) {
    const bytes = await sharp({
      create: {
        width,
        height: 20,
        channels: 3,
        background: '#888',
        noise: { type: 'gaussian', mean: 128, sigma: 30 },
      },
    })
      .png()
      .toBuffer();
    ids.push(await client.ingest({ bytes, fields: { title, tags: tag, auto_describe: 'false' } }));
  }
  for (const id of ids) await client.settled(id);
  const titles = async (query: string) =>
    (await client.get(`/files?tags=${tag}&${query}`)).body.items.map((item: { title: string }) => item.title);
  assert.deepEqual(await titles('sort_by=title&sort_order=asc'), ['a', 'b', 'c']);
  assert.deepEqual(await titles('sort_by=size_bytes'), ['c', 'a', 'b']);
  assert.deepEqual(await titles(''), ['c', 'a', 'b']);
  const { body } = await client.get(`/files?tags=${tag}&limit=2&offset=1&sort_by=title&sort_order=asc`);
  assert.deepEqual(
    {
      count: body.items.length,
      total: body.total_count,
      limit: body.limit,
      offset: body.offset,
      more: body.has_more,
    },
    { count: 2, total: 3, limit: 2, offset: 1, more: false },
  );
  assert.ok(body.items[0].thumbnail_url.startsWith('http'));
  assert.equal(body.items[0].variant_count, 4);
});

test('a corrupt image ends failed with the reason, and a retry runs it again', async () => {
  const whole = await quarters().jpeg().toBuffer();
  const id = await client.ingest({ bytes: whole.subarray(0, whole.length / 2), filename: 'torn.jpg' });
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'failed');
  assert.equal(file.variant_status, 'failed');
  assert.equal(file.description_status, 'skipped');
  assert.ok(file.variant_error);
  assert.equal((await client.get(`/files/${id}/variant/tiny_64`)).status, 404);

  const retry = await client.post(`/files/${id}/retry`, {});
  assert.equal(retry.status, 202);
  assert.equal(retry.body.generation, 2);
  assert.deepEqual(retry.body.retried, ['variant', 'description']);
  assert.equal((await client.settled(id)).primary_status, 'failed');
  const { body: timeline } = await client.get(`/files/${id}/timeline`);
  assert.deepEqual(
    timeline.runs.map((run: { generation: number }) => run.generation),
    [1, 2],
  );
  assert.match(timeline.explanation, /^Variants failed: /);
});

test('a retry of one component reruns only that one', async () => {
  const id = await client.ingest({ bytes: demoImage('chelsea.jpg') });
  const before = await client.settled(id);
  assert.equal((await client.post(`/files/${id}/retry`, {})).status, 409);
  const retry = await client.post(`/files/${id}/retry`, { components: ['description'] });
  assert.equal(retry.status, 202);
  assert.deepEqual(retry.body.retried, ['description']);
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'completed');
  assert.equal(file.full_descriptions.length, 2);
  assert.equal(file.blur_hash, before.blur_hash);
  const { body: timeline } = await client.get(`/files/${id}/timeline`);
  assert.deepEqual(
    timeline.runs[1].steps.map((step: { step: string }) => step.step),
    ['readText', 'describeImage', 'indexImage'],
  );
});
