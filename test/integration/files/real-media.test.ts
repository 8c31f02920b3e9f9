import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createClient, eventually, sharedRun, type Answer, type Json } from '../../support/api.ts';
import { assertQuarters } from '../../support/quarters.ts';

/**
 * Pictures, videos and forms as cameras, telephones and programs make them: the troubles that users of comparable
 * services had. Each stands for a kind, whose other members are in the tests of the readers.
 */
const run = sharedRun();
const client = createClient(run);
const sample = (name: string) => readFile(new URL(`../../samples/media/${name}`, import.meta.url));

/** The quadrants of most samples. */
const QUAD = [
  [200, 40, 40],
  [40, 160, 60],
  [40, 60, 200],
  [220, 200, 50],
];
const SWAPPED = [
  [34, 201, 35],
  [57, 35, 161],
  [200, 35, 57],
  [45, 221, 201],
];
const VIVID = [
  [221, 0, 17],
  [0, 164, 34],
  [31, 58, 209],
  [226, 200, 1],
];

async function uploaded(bytes: Buffer, filename: string): Promise<Json> {
  const form = new FormData();
  form.set('auto_describe', 'false');
  form.set('file', new Blob([bytes]), filename);
  const answer = await client.request('POST', '/files/upload', { body: form });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return client.settled(answer.body.file_id);
}

async function sentDirectly(bytes: Buffer, filename: string, contentType: string): Promise<Json> {
  const begun = await client.post('/files/direct-uploads', {
    filename,
    content_type: contentType,
    size_bytes: bytes.length,
    claimed_file_hash: createHash('sha256').update(bytes).digest('hex'),
    auto_describe: false,
  });
  assert.equal(begun.status, 201, JSON.stringify(begun.body));
  const { upload_id: id, presigned_url: url, headers } = begun.body;
  const put = await fetch(url, { method: 'PUT', headers, body: bytes as Uint8Array<ArrayBuffer> });
  assert.equal(put.status, 200, await put.text());
  const completed = await client.post(`/files/direct-uploads/${id}/complete`, {});
  assert.ok([200, 202].includes(completed.status), JSON.stringify(completed.body));
  return eventually(async () => {
    const { body } = await client.get(`/files/${completed.body.file_id}`);
    assert.ok(['completed', 'failed', 'partially_completed'].includes(body.primary_status), body.explanation);
    return body;
  }, 120);
}

const large = async (file: Json) => (await client.follow(`/files/${file.id}/variant/large_1024`)).bytes;

for (const [name, off, expected = QUAD] of [
  ['rgb16-srgb-icc.png', 6],
  ['rgb16-adobe-icc.png', 6],
  ['icc-swapped16.png', 6, SWAPPED],
  ['gama-linear.png', 8],
  ['avif-p3-nclx.avif', 12, VIVID],
  ['brand-mif1.avif', 8],
] as const) {
  test(`${name}: the colours are those that browsers show`, async () => {
    const file = await uploaded(await sample(name), name);
    assert.equal(file.primary_status, 'completed');
    await assertQuarters(await large(file), off, expected);
  });
}

test('a HEIC is an image like any other', async () => {
  const file = await uploaded(await sample('quarters.heic'), 'IMG_0001.HEIC');
  assert.deepEqual(
    [file.primary_status, file.content_type, file.format],
    ['completed', 'image/heic', 'heic'],
  );
  await assertQuarters(await large(file), 12);
  const { bytes, headers } = await client.follow(`/files/${file.id}/download`);
  assert.equal(headers.get('content-type'), 'image/heic');
  assert.equal(bytes.toString('latin1', 4, 12), 'ftypheic');
});

for (const [name, date] of [
  ['date-digitized-only.jpg', '2003-02-01T10:11:12.000Z'],
  ['date-zero.jpg', '2007-02-19T10:00:00.000Z'],
  ['date-inline-zone.jpg', '2025-01-14T15:31:30.000Z'],
  ['date-zone-nocolon.jpg', '2024-07-04T10:00:00.000Z'],
  ['date-no-zone.jpg', '2024-07-04T23:30:00.000Z'],
] as const) {
  test(`${name}: it was taken at ${date}`, async () => {
    assert.equal((await uploaded(await sample(name), name)).content_created_at, date);
  });
}

const PLAIN = { duration_seconds: 2, video_codec: 'h264', resolution: '320x240', frame_rate: 10 };
for (const [name, type, expected, off = 8] of [
  ['base.mp4', 'video/mp4', PLAIN],
  ['bt709.mp4', 'video/mp4', PLAIN],
  ['fullrange.mp4', 'video/mp4', PLAIN],
  ['vp9-bt709.webm', 'video/webm', { video_codec: 'vp9' }],
  ['hlg10.mp4', 'video/mp4', { video_codec: 'hevc' }, 35],
  ['mvhd-date.mp4', 'video/mp4', { ...PLAIN, content_created_at: '2021-03-04T05:06:07.000Z' }],
  ['noftyp-wide.mov', 'video/quicktime', PLAIN],
  ['noftyp-moov.mov', 'video/quicktime', PLAIN],
  ['offset.mkv', 'video/x-matroska', { ...PLAIN, analyzed_seconds: 2 }],
  ['mjpeg-track-first.mov', 'video/quicktime', PLAIN],
  ['oneframe.mp4', 'video/mp4', { frame_rate: 10 }],
] as const) {
  test(`${name}: the video is analyzed as players show it`, async () => {
    const file = await sentDirectly(await sample(name), name, type);
    assert.equal(file.primary_status, 'completed', file.explanation);
    const seen = Object.fromEntries(Object.keys(expected).map((field) => [field, file[field]]));
    assert.deepEqual(seen, expected);
    await assertQuarters(await large(file), off, QUAD);
    const [frame] = file.key_frames;
    const bytes = Buffer.from(await (await fetch(frame.full_url)).arrayBuffer());
    await assertQuarters(bytes, off, QUAD);
  });
}

for (const [name, filename, declared, type] of [
  ['base.mp4', 'clip.mp4', 'application/octet-stream', 'video/mp4'],
  ['base.mp4', 'clip', '', 'video/mp4'],
  ['base.mp4', 'clip.m4v', 'video/x-m4v', 'video/mp4'],
  ['base.mp4', 'clip.bin', 'video/vnd.something-new', 'video/mp4'],
  ['offset.mkv', 'clip.mkv', 'video/matroska', 'video/x-matroska'],
  ['date-no-zone.jpg', 'photo.jpg', 'image/pjpeg', 'image/jpeg'],
  ['date-no-zone.jpg', 'photo.jpg', 'video/mp4', 'image/jpeg'],
  ['brand-mif1.avif', 'photo', 'binary/octet-stream', 'image/avif'],
] as const) {
  test(`a direct upload of ${name} as ${declared || 'nothing'} is ${type}`, async () => {
    const file = await sentDirectly(await sample(name), filename, declared);
    assert.deepEqual([file.primary_status, file.content_type], ['completed', type]);
  });
}

for (const [name, filename] of [
  ['form-dotnet-quoted.body', '歌 ü.jpg'],
  ['form-joiners.body', '\u{1F469}\u200D\u{1F4BB} می\u200Cخواهم.jpg'],
  ['form-latin1-name.body', 'Grüße.jpg'],
] as const) {
  test(`${name}: the file is named ${filename}`, async () => {
    const answer = await client.request('POST', '/files/upload', {
      body: await sample(name),
      headers: { 'Content-Type': 'multipart/form-data; boundary=xyzBOUND' },
    });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const { body } = await client.get(`/files/${answer.body.file_id}`);
    assert.deepEqual([body.filename, body.title], [filename, filename]);
    const { headers } = await client.follow(`/files/${body.id}/download`);
    const [, sent = ''] = /filename\*=UTF-8''(\S+)$/.exec(headers.get('content-disposition') ?? '') ?? [];
    assert.equal(decodeURIComponent(sent), filename);
  });
}

const compound = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2000)]);
for (const [what, bytes, filename, message] of [
  [
    'an SVG',
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
    'a.svg',
    /^SVG drawings are not accepted; send/,
  ],
  ['an SVG with a prologue', Buffer.from('<?xml version="1.0"?><!-- a --><svg/>'), 'a', /^SVG drawings are/],
  ['an old Word document', compound, 'a.doc', /^old Word documents \(DOC\) are not accepted/],
  [
    'an archive',
    Buffer.from('504b0506000000000000000000000000000000000000', 'hex'),
    'a.zip',
    /^ZIP archives are/,
  ],
  ['unknown bytes', Buffer.alloc(100, 1), 'a.bin', /^files of an unknown kind are not accepted/],
] as const) {
  test(`${what} is refused by its name`, async () => {
    const form = new FormData();
    form.set('file', new Blob([bytes]), filename);
    const answer: Answer = await client.request('POST', '/files/upload', { body: form });
    assert.deepEqual([answer.status, answer.body.code], [415, 'UNSUPPORTED_MEDIA']);
    assert.match(answer.body.detail, message);
  });
}
