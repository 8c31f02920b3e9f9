import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exifFacts } from '../../../engines/image-decoder/exif.ts';
import { readExif } from '../../../engines/image-decoder/exif-tags.ts';
import { forgedExif } from '../../support/sample-images.ts';

type Entry = readonly [tag: number, value: string | number | readonly [number, number]];

/** An EXIF block with one directory for the camera and one for the exposure, in either byte order. */
function exifBlock(little: boolean, camera: readonly Entry[], exposure: readonly Entry[]): Uint8Array {
  const block = new DataView(new ArrayBuffer(2048));
  block.setUint16(0, little ? 0x4949 : 0x4d4d);
  block.setUint16(2, 42, little);
  block.setUint32(4, 8, little);
  let free = 512;
  const writeDirectory = (start: number, entries: readonly Entry[]): void => {
    block.setUint16(start, entries.length, little);
    for (const [index, [tag, value]] of entries.entries()) {
      const entry = start + 2 + index * 12;
      block.setUint16(entry, tag, little);
      if (typeof value === 'number') {
        block.setUint16(entry + 2, tag === 0x8769 ? 4 : 3, little);
        block.setUint32(entry + 4, 1, little);
        if (tag === 0x8769) block.setUint32(entry + 8, value, little);
        else block.setUint16(entry + 8, value, little);
        continue;
      }
      const bytes = typeof value === 'string' ? new TextEncoder().encode(`${value}\0`) : undefined;
      block.setUint16(entry + 2, bytes ? 2 : 5, little);
      block.setUint32(entry + 4, bytes?.length ?? 1, little);
      block.setUint32(entry + 8, free, little);
      if (bytes) new Uint8Array(block.buffer).set(bytes, free);
      else if (typeof value !== 'string')
        for (const [half, number] of value.entries()) block.setUint32(free + half * 4, number, little);
      free += (bytes?.length ?? 8) + 4;
    }
  };
  writeDirectory(8, [...camera, [0x8769, 256]]);
  writeDirectory(256, exposure);
  return new Uint8Array(block.buffer);
}

const CAMERA: Entry[] = [
  [0x010f, 'Acme'],
  [0x0110, 'Acme Pocket 3'],
];
const EXPOSURE: Entry[] = [
  [0x829a, [1, 250]],
  [0x829d, [28, 10]],
  [0x8827, 400],
  [0x9003, '2024:05:17 09:30:00'],
  [0x9011, '+02:00'],
  [0x920a, [35, 1]],
  [0xa434, 'Acme 35mm'],
];

for (const little of [true, false])
  test(`a ${little ? 'little' : 'big'}-endian block yields camera, exposure and time`, () => {
    assert.deepEqual(exifFacts(exifBlock(little, CAMERA, EXPOSURE)), {
      takenAt: '2024-05-17T07:30:00.000Z',
      camera: 'Acme Pocket 3',
      lens: 'Acme 35mm',
      iso: 400,
      exposureSeconds: 0.004,
      aperture: 2.8,
      focalLengthMm: 35,
    });
  });

test('a time without a zone is read as UTC, and an impossible time is omitted', () => {
  const at = (time: string) => exifFacts(exifBlock(true, [], [[0x9003, time]])).takenAt;
  assert.equal(at('2024:05:17 09:30:00'), '2024-05-17T09:30:00.000Z');
  assert.equal(at('0000:00:00 00:00:00'), undefined);
  assert.equal(at('2024:13:45 09:30:00'), undefined);
  assert.equal(at('yesterday'), undefined);
  // At the ends of the date range an offset leads to a date that cannot be represented.
  assert.equal(at('9999:12:31 23:59:59'), undefined);
  assert.equal(at('0001:01:01 00:00:00'), undefined);
});

test('the maker is prefixed unless the model already contains it', () => {
  const named = (make: string, model: string) =>
    exifFacts(
      exifBlock(
        true,
        [
          [0x010f, make],
          [0x0110, model],
        ],
        [],
      ),
    ).camera;
  assert.equal(named('Acme', 'X100'), 'Acme X100');
  assert.equal(named('ACME', 'Acme X100'), 'Acme X100');
});

test('texts contain no control characters, and impossible numbers are dropped', () => {
  const block = exifBlock(
    false,
    [[0x0110, 'Po\u0001ck\net\0hidden']],
    [
      [0x829a, [1, 0]],
      [0x8827, 0],
    ],
  );
  assert.deepEqual(exifFacts(block), { camera: 'Pocket' });
});

test('any bytes are read without throwing', () => {
  const valid = exifBlock(true, CAMERA, EXPOSURE);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void exifFacts(bytes)));
  fc.assert(
    fc.property(fc.nat(valid.length - 1), fc.nat(255), fc.nat(valid.length), (at, byte, length) => {
      void exifFacts(valid.with(at, byte).subarray(0, length));
    }),
  );
});

test('a forged block with a count of 300 million numbers yields no numbers', () => {
  for (const value of Object.values(readExif(forgedExif()))) assert.ok(String(value).length < 200);
});
