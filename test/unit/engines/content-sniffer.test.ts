import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { sniffContentType } from '../../../engines/content-sniffer/content-sniffer.ts';
import { MAGIC_BYTES } from '../../../domain/media.ts';
import { writeEpub, writePptx, writeXlsx } from '../../support/office-files.ts';
import { writeOpenDocument } from '../../support/open-documents.ts';
import { writeEml } from '../../support/letters.ts';
import { writeZip } from '../../support/zip-writer.ts';
import { minimalPdf, wordDocument } from '../../support/documents.ts';

const image = () => sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
const PNG_SIGNATURE = 8;
const PNG_HEADER = 25;

test('every accepted image type is detected from its leading bytes', async () => {
  for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'] as const)
    assert.equal(await sniffContentType(await image().toFormat(format).toBuffer()), `image/${format}`);
});

test('a TIFF is detected wherever its directory is, in both byte orders', async () => {
  const pixels = Buffer.alloc(3 * MAGIC_BYTES);
  for (const start of ['II*\0\u0010\u0020\0\0', 'MM\0*\0\0\u0020\u0010']) {
    const tiff = Buffer.concat([Buffer.from(start, 'latin1'), pixels]);
    assert.equal(await sniffContentType(tiff.subarray(0, MAGIC_BYTES)), 'image/tiff');
  }
  const noise = {
    create: {
      width: 99,
      height: 99,
      channels: 3,
      background: 'red',
      noise: { type: 'gaussian', mean: 9, sigma: 9 },
    },
  } as const;
  for (const options of [{}, { bigtiff: true }, { pyramid: true, tile: true }] as const) {
    const tiff = await sharp(noise)
      .tiff({ compression: 'none', ...options })
      .toBuffer();
    assert.equal(await sniffContentType(tiff.subarray(0, MAGIC_BYTES)), 'image/tiff');
  }
  assert.equal(await sniffContentType(Buffer.from('II* is no TIFF'), { filename: 'a.txt' }), 'text/plain');
});

test('an animated PNG counts as a PNG', async () => {
  const png = await image().png().toBuffer();
  const at = PNG_SIGNATURE + PNG_HEADER;
  const animated = Buffer.concat([png.subarray(0, at), chunk('acTL', Buffer.alloc(8)), png.subarray(at)]);
  assert.equal(await sniffContentType(animated), 'image/png');
});

test('a PNG whose metadata exceeds the leading bytes is still a PNG', async () => {
  const png = await image().png().toBuffer();
  const at = PNG_SIGNATURE + PNG_HEADER;
  const wordy = Buffer.concat([png.subarray(0, at), chunk('iCCP', Buffer.alloc(20_000)), png.subarray(at)]);
  assert.equal(await sniffContentType(wordy.subarray(0, MAGIC_BYTES)), 'image/png');
});

test('text, scripts and HTML have no signature', async () => {
  for (const text of ['words', '#!/bin/sh\n', '<!doctype html><p>', '', '\0', 'MVG 1'])
    assert.equal(await sniffContentType(Buffer.from(text)), undefined);
});

test('names and types that every object has are unknown', async () => {
  for (const declared of [{ filename: 'a.constructor' }, { contentType: 'constructor' }])
    assert.equal(await sniffContentType(Buffer.from('words'), declared), undefined);
});

test('only the leading bytes decide', async () => {
  const gif = await image().gif().toBuffer();
  assert.equal(
    await sniffContentType(Buffer.concat([gif, Buffer.from('<script>alert(1)</script>PK\x03\x04')])),
    'image/gif',
  );
});

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
}

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const ODF = 'application/vnd.oasis.opendocument';
const PPTX = 'application/vnd.openxmlformats-officedocument.presentationml.presentation';

test('documents are detected by their leading bytes, and texts also by their name', async () => {
  const cases: [Uint8Array, string, string | undefined][] = [
    [minimalPdf(['Hello']), 'a.txt', 'application/pdf'],
    [Buffer.concat([Buffer.from('\n\n junk \u0001 \n'), minimalPdf(['Hello'])]), 'a.pdf', 'application/pdf'],
    [await wordDocument('Title', 'Text'), 'a.zip', DOCX],
    [
      Buffer.from('PK\u0003\u0004\u0014\0\0\0\0\0'.padEnd(30, '\0') + 'visio/document.xml', 'latin1'),
      'a.docx',
      'application/zip',
    ],
    [writeZip([{ name: 'a.txt', content: 'a' }]), 'a.xlsx', 'application/zip'],
    [writeXlsx([{ name: 'a', rows: '' }]), 'a.docx', XLSX],
    [writeZip([{ name: '[Content_Types].xml', content: 'x'.repeat(9) }]), 'a.xlsx', XLSX],
    [writePptx([]), 'a.zip', PPTX],
    [writeEpub({}), 'a.zip', 'application/epub+zip'],
    [writeOpenDocument('text', ''), 'a.zip', `${ODF}.text`],
    [writeOpenDocument('spreadsheet', ''), 'a.docx', `${ODF}.spreadsheet`],
    [writeOpenDocument('presentation', ''), 'a', `${ODF}.presentation`],
    [writeZip([{ name: 'mimetype', content: `${ODF}.text-template` }]), 'a.ott', `${ODF}.text`],
    // An encrypted Office document is in a container of another kind.
    [Buffer.from('d0cf11e0a1b11ae1'.padEnd(1200, '0'), 'hex'), 'a.xlsx', 'application/x-cfb'],
    [Buffer.from(' <!DOCTYPE html><p>'), 'a.html', 'text/html'],
    [Buffer.from('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">'), 'a.xhtml', 'text/html'],
    [
      Buffer.from('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">'),
      'a.md',
      'application/xml',
    ],
    [Buffer.from('#!/bin/sh\necho'), 'a.html', undefined],
    [Buffer.from('a;b\n1;2\n'), 'a.CSV', 'text/csv'],
    [Buffer.from('<script>alert(1)</script>'), 'a.csv', undefined],
    [Buffer.from('# Title\n\n<p align="center">Logo</p>'), 'README.md', 'text/markdown'],
    [Buffer.from('Grüße', 'latin1'), 'a.TXT', 'text/plain'],
    [Buffer.from('\ufeffGrüße', 'utf16le'), 'a.txt', 'text/plain'],
    [writeEml('x', 'y'), 'a', 'message/rfc822'],
    [Buffer.from('Content-Type: text/plain\r\nFrom: a@b\r\n\r\nHello'), 'a.eml', 'message/rfc822'],
    [Buffer.from('d0cf11e0a1b11ae1'.padEnd(1200, '0'), 'hex'), 'a.msg', 'application/vnd.ms-outlook'],
    [Buffer.from('words'), 'a.eml', undefined],
    [Buffer.from('words'), 'a.sh', undefined],
    [Buffer.from('words'), 'a', undefined],
    [Buffer.from('#!/bin/sh\necho'), 'a.txt', undefined],
    [Buffer.from(' <!DOCTYPE html><p>'), 'a.md', undefined],
    [Buffer.from('<script>alert(1)</script>'), 'a.md', undefined],
    [Buffer.from('a\0b'), 'a.txt', undefined],
    [Buffer.from('\u007fELF\u0002\u0001\u0001'.padEnd(80, '\0'), 'latin1'), 'a.txt', 'application/x-elf'],
  ];
  for (const [bytes, filename, type] of cases) {
    assert.equal(await sniffContentType(bytes.subarray(0, MAGIC_BYTES), { filename }), type, filename);
  }
  assert.equal(
    await sniffContentType(Buffer.from('words'), { contentType: 'text/plain; charset=utf-8' }),
    'text/plain',
  );
});

test('videos are detected by their container and get the names of the contract', async () => {
  const mp4 = (brand: string) => Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0isomiso2`, 'latin1');
  const ebml = (type: string) =>
    Buffer.concat([
      Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80 + 3 + type.length, 0x42, 0x82, 0x80 + type.length]),
      Buffer.from(type),
    ]);
  for (const [head, type] of [
    [mp4('isom'), 'video/mp4'],
    [mp4('M4V '), 'video/mp4'],
    [mp4('qt  '), 'video/quicktime'],
    [ebml('webm'), 'video/webm'],
    [ebml('matroska'), 'video/x-matroska'],
  ] as const) {
    assert.equal(await sniffContentType(head), type);
  }
});
