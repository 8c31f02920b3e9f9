import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { createClient, eventually, sharedRun, type Answer, type Json } from '../support/api.ts';
import {
  animatedGif,
  blackPng,
  jpegClaiming,
  pngClaiming,
  cmykJpeg,
  forgedExif,
  gpsJpeg,
  jpegWithSegments,
  png16Bit,
  quarters,
} from '../support/sample-images.ts';

/**
 * Broken or hostile images, names, forms and JSON get a documented error, or a file that ends `failed` with the reason,
 * or `completed` if the input is odd but legal. The process survives all of them. The eight orientations are in
 * image-slice.test.ts.
 */
const run = sharedRun();
const client = createClient(run);
const MB = 1024 * 1024;
const QUICK = { auto_describe: 'false' };
const png = await quarters().png().toBuffer();
const jpeg = await quarters().jpeg().toBuffer();
const text = (content: string) => Buffer.from(content, 'latin1');

interface Process {
  started: string;
  heldBytes: number;
}
async function apiProcess(): Promise<Process> {
  const { body } = await client.get(`${client.origin}/metrics`);
  const metric = (name: string) => new RegExp(`^${name} (.*)$`, 'm').exec(body)?.[1] ?? '';
  return {
    started: metric('process_start_time_seconds'),
    heldBytes: Number(metric('darkroom_upload_memory_bytes')),
  };
}

let startedAt: string;
before(async () => {
  startedAt = (await apiProcess()).started;
  assert.match(startedAt, /^\d/);
});
after(async () => {
  assert.equal((await client.get(`${client.origin}/healthz`)).status, 200);
  assert.equal((await client.get(`${client.origin}/readyz`)).body.status, 'ok');
  assert.equal((await apiProcess()).started, startedAt, 'the API was restarted');
  await eventually(async () => assert.equal((await apiProcess()).heldBytes, 0));
});

/** The leading bytes decide the type. */
const REFUSED: [string, Buffer, number, string][] = [
  ['no bytes at all', Buffer.alloc(0), 422, 'EMPTY_FILE'],
  [
    'SVG',
    text('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
    415,
    'UNSUPPORTED_MEDIA',
  ],
  [
    'MVG',
    text("push graphic-context\nimage over 0,0 0,0 'https://127.0.0.1/'\npop graphic-context"),
    415,
    'UNSUPPORTED_MEDIA',
  ],
  ['BMP', Buffer.concat([text('BM'), Buffer.alloc(100)]), 415, 'UNSUPPORTED_MEDIA'],
  [
    'HEIF of an unknown codec',
    Buffer.concat([Buffer.from('00000014', 'hex'), text('ftypmif1\0\0\0\0mif1')]),
    415,
    'UNSUPPORTED_MEDIA',
  ],
  [
    'JPEG 2000',
    Buffer.from('0000000c6a5020200d0a870a00000014667479706a703220', 'hex'),
    415,
    'UNSUPPORTED_MEDIA',
  ],
  ['only a PNG signature', png.subarray(0, 8), 415, 'UNSUPPORTED_MEDIA'],
  ['PSD', text('8BPS\0\x01'), 415, 'UNSUPPORTED_MEDIA'],
  ['ICO', Buffer.from('00000100010010100000010020006804', 'hex'), 415, 'UNSUPPORTED_MEDIA'],
  ['a script before a PNG', Buffer.concat([text('#!/bin/sh\nid\n'), png]), 415, 'UNSUPPORTED_MEDIA'],
  [
    'HTML before a PNG',
    Buffer.concat([text('<html><script>alert(1)</script>'), png]),
    415,
    'UNSUPPORTED_MEDIA',
  ],
  [
    'an archive before a JPEG',
    Buffer.concat([text('PK\x03\x04'), Buffer.alloc(26), jpeg]),
    415,
    'UNSUPPORTED_MEDIA',
  ],
];

for (const [what, bytes, status, code] of REFUSED) {
  test(`${what}: ${status} ${code}`, async () => {
    const answer = await client.upload({ bytes, filename: 'image.png' });
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
  });
}

const DAMAGED = /damaged, incomplete/;
const TOO_LARGE = /more than 100 megapixels/;
const FAILED: [string, Buffer, RegExp][] = [
  ['a JPEG cut in half', jpeg.subarray(0, jpeg.length / 2), DAMAGED],
  ['a PNG cut in half', png.subarray(0, png.length / 2), DAMAGED],
  ['a WebP cut in half', await cutInHalf(quarters().webp()), DAMAGED],
  ['only a JPEG signature', jpeg.subarray(0, 4), DAMAGED],
  ['256 megapixels in 250 KB', blackPng({ width: 16_000, height: 16_000, depth: 8 }), TOO_LARGE],
  ['a PNG that claims 2^31 − 1 a side', pngClaiming({ width: 2 ** 31 - 1, height: 2 ** 31 - 1 }), DAMAGED],
  ['a PNG that claims 2^31 pixels', pngClaiming({ width: 2 ** 16, height: 2 ** 15 }), TOO_LARGE],
  ['a JPEG that claims 65,500 a side', await jpegClaiming(65_500, 65_500), TOO_LARGE],
  [
    'only the signature of a HEIC',
    Buffer.concat([Buffer.from('00000018', 'hex'), text('ftypheic\0\0\0\0mif1heic')]),
    DAMAGED,
  ],
  ['a JPEG of 0 × 0 pixels', await jpegClaiming(0, 0), DAMAGED],
  ['a GIF that is a script as well', text('GIF89a/*\0\0\0\0\0*/=1;alert(document.domain)'), DAMAGED],
];

for (const [what, bytes, reason] of FAILED) {
  test(`${what}: failed, with the reason`, async () => {
    const file = await client.settled(await client.ingest({ bytes, fields: QUICK }));
    assert.equal(file.primary_status, 'failed');
    assert.match(file.variant_error, reason);
    assert.equal(file.variant_count, 0);
  });
}

const ODD: [string, Buffer, { width: number; height: number }][] = [
  ['a GIF of 10,000 frames', animatedGif(10_000), { width: 1, height: 1 }],
  [
    '10 MB of EXIF in a PNG',
    blackPng({ width: 9, height: 9, chunks: { eXIf: exif(10 * MB) } }),
    { width: 9, height: 9 },
  ],
  [
    '10 MB of EXIF in a JPEG',
    jpegWithSegments(jpeg, 0xe1, text('Exif\0\0'), 10 * MB),
    { width: 120, height: 80 },
  ],
  [
    '10 MB of colour profile',
    jpegWithSegments(jpeg, 0xe2, text('ICC_PROFILE\0'), 10 * MB),
    { width: 120, height: 80 },
  ],
  [
    'EXIF whose entries each claim the whole block',
    blackPng({ width: 9, height: 9, chunks: { eXIf: forgedExif() } }),
    { width: 9, height: 9 },
  ],
  ['CMYK', await cmykJpeg(), { width: 120, height: 80 }],
  ['16 bits a channel', await png16Bit(), { width: 120, height: 80 }],
  ['one pixel', blackPng({ width: 1, height: 1 }), { width: 1, height: 1 }],
  ['1 × 65,500', blackPng({ width: 1, height: 65_500 }), { width: 1, height: 65_500 }],
  ['65,500 × 1', blackPng({ width: 65_500, height: 1 }), { width: 65_500, height: 1 }],
  [
    'a JPEG with an archive appended',
    Buffer.concat([jpeg, text('PK\x03\x04'), Buffer.alloc(1000)]),
    { width: 120, height: 80 },
  ],
  [
    'a PNG with HTML appended',
    Buffer.concat([png, text('<script>alert(1)</script>')]),
    { width: 120, height: 80 },
  ],
];

for (const [what, bytes, dimensions] of ODD) {
  test(`${what}: completed`, async () => {
    const file = await client.settled(await client.ingest({ bytes, fields: QUICK }));
    assert.equal(file.primary_status, 'completed', file.variant_error);
    assert.deepEqual(file.dimensions, dimensions);
    assert.equal(file.variant_count, 4);
    const { bytes: variant, headers } = await client.follow(`/files/${file.id}/variant/small_256`);
    const seen = await sharp(variant).metadata();
    assert.ok(seen.width <= 256 && seen.height <= 256 && (seen.pages ?? 1) === 1);
    assert.equal(headers.get('content-type'), `image/${seen.format}`);
    const original = await client.follow(`/files/${file.id}/download`);
    assert.match(original.headers.get('content-disposition') ?? '', /^attachment/);
    assert.equal(original.headers.get('content-type'), file.content_type);
  });
}

test('the location and the author of an image are neither in its variants nor in its record', async () => {
  const id = await client.ingest({ bytes: await gpsJpeg() });
  const file = await client.settled(id);
  assert.equal(file.variant_count, 4);
  for (const type of ['tiny_64', 'small_256', 'medium_750', 'large_1024']) {
    const { bytes } = await client.follow(`/files/${id}/variant/${type}`);
    const { exif: found, xmp, iptc } = await sharp(bytes).metadata();
    assert.deepEqual({ found, xmp, iptc }, { found: undefined, xmp: undefined, iptc: undefined });
    assert.doesNotMatch(bytes.toString('latin1'), /Secret|GPS|Exif/);
  }
  assert.doesNotMatch(JSON.stringify(file), /SecretPlace|SecretArtist/);
});

const part = (disposition: string, value: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
const field = (name: string, value = 'a') => part(`name="${name}"`, value);
const end = Buffer.from('--x--\r\n');
const file = part('name="file"; filename="a.png"', png);
const form = (...parts: Buffer[]): Promise<Answer> => formOf('multipart/form-data; boundary=x', ...parts);
const formOf = (type: string, ...parts: Buffer[]): Promise<Answer> =>
  client.request('POST', '/files/upload', { body: Buffer.concat(parts), headers: { 'Content-Type': type } });

/** File names in the header, and the stored names. */
const NAMES: [string, string, string][] = [
  ['a path', '../../etc/passwd', 'passwd'],
  ['a Windows path', String.raw`..\..\boot.ini`, 'boot.ini'],
  ['only a parent folder', '..', 'unnamed'],
  ['nothing', '', 'unnamed'],
  ['blanks', '   ', 'unnamed'],
  ['escaped line breaks', 'a%0D%0ASet-Cookie: b.png', 'aSet-Cookie: b.png'],
  ['escaped quotes', 'a%22b.png', 'a"b.png'],
  ['a right-to-left override', 'gpj.\u202eexe.png', 'gpj.exe.png'],
  ['4 KB', `${'n'.repeat(4096)}.png`, 'n'.repeat(255)],
  ['decomposed letters', 'u\u0308ber.png', 'über.png'],
  ['a shell command', '$(id);`id`.png', '$(id);`id`.png'],
];

for (const [what, given, kept] of NAMES) {
  test(`a file name of ${what} is stored as ${JSON.stringify(kept.slice(0, 20))}`, async () => {
    const answer = await form(
      field('auto_describe', 'false'),
      part(`name="file"; filename="${given}"`, png),
      end,
    );
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const { body } = await client.get(`/files/${answer.body.file_id}`);
    assert.equal(body.filename, kept);
    const { headers } = await client.follow(`/files/${body.id}/download`);
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="/);
  });
}

test('a NUL in a file name is dropped, or the form is rejected', async () => {
  const answer = await form(part('name="file"; filename="a\0b.png"', png), end);
  if (answer.status === 400) return assert.equal(answer.body.code, 'BAD_REQUEST');
  assert.equal(answer.status, 201);
  assert.equal((await client.get(`/files/${answer.body.file_id}`)).body.filename, 'ab.png');
});

const FORMS: [string, () => Promise<Answer>, number, string?][] = [
  ['without its closing boundary', () => form(field('title'), file), 400, 'BAD_REQUEST'],
  ['that is cut off in the file', () => form(file.subarray(0, file.length / 2)), 400, 'BAD_REQUEST'],
  ['that is cut off in a header', () => form(file.subarray(0, 30)), 400, 'BAD_REQUEST'],
  ['of only its closing boundary', () => form(end), 422, 'VALIDATION_FAILED'],
  ['of two files', () => form(file, file, end), 400, 'BAD_REQUEST'],
  [
    'of a file under another name',
    () => form(part('name="image"; filename="a.png"', png), end),
    400,
    'BAD_REQUEST',
  ],
  ['of a file without a name', () => form(part('filename="a.png"', png), end), 400, 'BAD_REQUEST'],
  [
    'of 10,000 fields',
    () => form(...Array.from({ length: 10_000 }, () => field('title')), file, end),
    400,
    'BAD_REQUEST',
  ],
  [
    'with a file after 101 fields',
    () => form(...Array.from({ length: 101 }, () => field('title')), file, end),
    400,
    'BAD_REQUEST',
  ],
  [
    'with 101 fields after the file',
    () => form(file, ...Array.from({ length: 101 }, () => field('title')), end),
    400,
    'BAD_REQUEST',
  ],
  [
    'with a field of 300 KB',
    () => form(field('title', 'x'.repeat(300_000)), file, end),
    422,
    'VALIDATION_FAILED',
  ],
  [
    'with 300 KB of fields',
    () => form(...Array.from({ length: 30 }, () => field('title', 'x'.repeat(10_000))), file, end),
    422,
    'VALIDATION_FAILED',
  ],
  ['of another type', () => formOf('multipart/form-dataX; boundary=x', file, end), 400, 'BAD_REQUEST'],
  ['without a boundary', () => formOf('multipart/form-data', file, end), 400, 'BAD_REQUEST'],
  ['with an empty boundary', () => formOf('multipart/form-data; boundary=', file, end), 400, 'BAD_REQUEST'],
  ['with another boundary', () => formOf('multipart/form-data; boundary=y', file, end), 400, 'BAD_REQUEST'],
  [
    'that sets __proto__ and constructor',
    () => form(field('__proto__'), field('constructor'), field('toString'), file, end),
    422,
    'VALIDATION_FAILED',
  ],
  [
    'with a header of 100 KB, of which only the beginning is read',
    () => form(part(`name="file"; filename="a"; x="${'x'.repeat(100_000)}"`, png), end),
    201,
  ],
  [
    'with an unknown field before its file',
    () => form(field('skip_duplicate', 'true'), file, end),
    422,
    'VALIDATION_FAILED',
  ],
  [
    'with an unknown field after its file',
    () => form(file, field('tenant_id', 'b'), end),
    422,
    'VALIDATION_FAILED',
  ],
  ['whose file has no file name', () => form(part('name="file"', png), end), 201],
  ['with a preamble and an epilogue', () => form(text('preamble\r\n'), file, end, text('epilogue')), 201],
];

for (const [what, ask, status, code] of FORMS) {
  test(`a form ${what}: ${status} ${code ?? ''}`, async () => {
    const answer = await ask();
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
    assert.equal(typeof (code ? answer.body.detail : answer.body.file_id), 'string');
  });
}

/** Sends a raw request, and returns everything received until either side closes the connection. */
async function raw(length: number, body: Buffer, hangUp: boolean): Promise<string> {
  const { hostname, port } = new URL(run.api_url);
  const socket = connect(Number(port), hostname);
  const head = [
    `POST ${new URL(run.api_url).pathname}/files/upload HTTP/1.1`,
    `Host: ${hostname}`,
    `X-API-Key: ${run.api_key}`,
    'Content-Type: multipart/form-data; boundary=x',
    `Content-Length: ${length}`,
    'Connection: close',
  ];
  socket.on('error', () => undefined);
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  if (hangUp) socket.end();
  const answer: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => answer.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(answer).toString('latin1');
}

test('a Content-Length that is shorter than the form: 400', async () => {
  const body = Buffer.concat([file, end]);
  assert.match(await raw(body.length - 20, body, false), /^HTTP\/1\.1 400 /);
});

test('a Content-Length that is longer than the body: no file', async () => {
  const title = `Longer ${randomUUID()}`;
  const body = Buffer.concat([field('title', title), file, end]);
  await raw(body.length + 1000, body, true);
  const { body: found } = await client.get(`/files?search=${encodeURIComponent(title)}`);
  assert.equal(found.total_count, 0);
});

test('a Content-Length over the limit: 413, before the body', async () => {
  assert.match(await raw(10 ** 12, Buffer.alloc(0), false), /^HTTP\/1\.1 413 [^]*FILE_TOO_LARGE/);
});

test('all invalid fields of a form are reported together, including dependent ones', async () => {
  const fields = { title: 'x'.repeat(256), tags: 'x'.repeat(51), compliance_type: 'mls', folder_id: 'x' };
  const { status, body } = await client.upload({ bytes: png, fields });
  assert.equal(status, 422);
  assert.deepEqual(
    body.errors.map(({ pointer }: Json) => pointer),
    ['/form/title', '/form/tags/0', '/form/folder_id', '/form/compliance_standard'],
  );
});

const settled = await client.ingest({ bytes: png, fields: QUICK });
await client.settled(settled);
const json = (body: string) => (): Promise<Answer> =>
  client.request('POST', `/files/${settled}/retry`, {
    body,
    headers: { 'Content-Type': 'application/json' },
  });
const JSONS: [string, () => Promise<Answer>, number, string][] = [
  ['10,000 deep', json('['.repeat(10_000) + ']'.repeat(10_000)), 422, 'VALIDATION_FAILED'],
  [
    '10,000 deep in a known key',
    json(`{"components":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
    422,
    'VALIDATION_FAILED',
  ],
  ['with NaN', json('{"components": NaN}'), 400, 'BAD_REQUEST'],
  ['cut off', json('{"components": ["var'), 400, 'BAD_REQUEST'],
  ['that is a bare number', json('7'), 400, 'BAD_REQUEST'],
  ['that is null', json('null'), 400, 'BAD_REQUEST'],
  ['with a NUL in a name', json('{"components": ["vari\\u0000ant"]}'), 422, 'VALIDATION_FAILED'],
  ['over 1 MB', json(`{"a": "${'x'.repeat(2 ** 20)}"}`), 413, 'FILE_TOO_LARGE'],
  // The last of two equal keys wins.
  ['with duplicate keys', json('{"components": ["soul"], "components": []}'), 422, 'VALIDATION_FAILED'],
  ['with unknown keys', json('{"shoe": 1, "tenant_id": "x"}'), 422, 'VALIDATION_FAILED'],
  [
    'with __proto__',
    json('{"__proto__": {"components": ["variant"]}, "constructor": 1}'),
    400,
    'BAD_REQUEST',
  ],
];

for (const [what, ask, status, code] of JSONS) {
  test(`JSON ${what}: ${status} ${code}`, async () => {
    const answer = await ask();
    assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
  });
}

function exif(bytes: number): Buffer {
  return Buffer.concat([text('II*\0\x08\0\0\0\0\0\0\0\0\0'), Buffer.alloc(bytes)]);
}

async function cutInHalf(image: Sharp): Promise<Buffer> {
  const bytes = await image.toBuffer();
  return bytes.subarray(0, bytes.length / 2);
}
