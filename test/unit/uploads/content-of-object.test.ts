import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { contentOfObject } from '../../../services/uploads/content-of-object.ts';
import { type TiffPage, writeTiff } from '../../support/tiff-writer.ts';

const page = (more: Partial<TiffPage> = {}): TiffPage => ({
  width: 4,
  height: 4,
  grey: new Uint8Array(16),
  ...more,
});

/** The medium of a stored TIFF. */
async function mediumOf(bytes: Buffer): Promise<string> {
  const objects = {
    read: async (
      _: string,
      { range, maxBytes }: { range?: { first: number; last: number }; maxBytes: number },
    ) => {
      assert.ok(range && range.last < bytes.length && range.last - range.first < maxBytes);
      return bytes.subarray(range.first, range.last + 1);
    },
  };
  const tiff = {
    contentType: 'image/tiff',
    mediaType: 'image',
    format: 'tiff',
    sizeBytes: bytes.length,
  } as const;
  return (await contentOfObject(objects, 'key', tiff)).mediaType;
}

const big = Buffer.alloc(16 + 8 + 20 + 8 + 8 + 8);
big.write('MM\0+\0\u0008\0\0', 'latin1');
big.writeBigUInt64BE(16n, 8);
big.writeBigUInt64BE(1n, 16);
big.writeBigUInt64BE(52n, 44);

const CASES: readonly [what: string, bytes: () => Buffer | Promise<Buffer>, medium: string][] = [
  ['one page', () => writeTiff([page()]), 'image'],
  ['two pages', () => writeTiff([page(), page()]), 'document'],
  ['a picture and its small copy', () => writeTiff([page(), page({ subfile: 1 })]), 'image'],
  ['pages without an end', () => writeTiff([page(), page()], { endless: true }), 'document'],
  [
    'a picture of another program',
    () =>
      sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
        .tiff()
        .toBuffer(),
    'image',
  ],
  ['two pages, big-endian and with long offsets', () => big, 'document'],
  ['a directory beyond the end', () => Buffer.from('II*\0\xff\xff\xff\x7f........', 'latin1'), 'image'],
  ['a few bytes', () => Buffer.from('II*\0'), 'image'],
];
for (const [what, bytes, medium] of CASES)
  test(`a TIFF of ${what} is of the medium ${medium}`, async () => {
    assert.equal(await mediumOf(await bytes()), medium);
  });
