import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { decode } from 'blurhash';
import fc from 'fast-check';
import sharp from 'sharp';
import { ImageRefused, type ImageErrorCode } from '../../../engines/image-decoder/errors.ts';
import { renderImage, type RenderedImage } from '../../../engines/image-decoder/render-image.ts';
import { renderView } from '../../../engines/image-decoder/render-view.ts';
import { VARIANTS } from '../../../domain/image-analysis.ts';
import * as samples from '../../support/sample-images.ts';
import { codedItem, heic, HEIC_BRANDS } from '../../support/heic.ts';
import { box, fullBox, imageSize, u16, writeHeif, type HeifItem } from '../../support/heif-writer.ts';
import { assertQuarters as assertColours } from '../../support/quarters.ts';
import { writeTiff } from '../../support/tiff-writer.ts';

async function assertQuarters({ variants }: RenderedImage, off: number): Promise<void> {
  for (const { bytes } of variants) await assertColours(bytes, off);
}

/** Texts of EXIF as an item of a HEIF file. */
async function exifItem(tags: Record<string, string>): Promise<HeifItem> {
  const { Orientation, ...others } = tags;
  const withTags = samples
    .quarters()
    .withExif({ IFD0: { ...(Orientation && { Orientation }) }, IFD2: others });
  const { exif = Buffer.alloc(0) } = await sharp(await withTags.jpeg().toBuffer()).metadata();
  return { type: 'Exif', data: Buffer.concat([Buffer.of(0, 0, 0, 6), exif]) };
}

async function assertRefused(original: Uint8Array, code: ImageErrorCode): Promise<void> {
  await assert.rejects(
    renderImage(original),
    (error) => error instanceof ImageRefused && error.code === code,
  );
}

for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8] as const)
  test(`EXIF orientation ${orientation} is applied in every variant`, async () => {
    const image = await renderImage(await samples.orientedJpeg(orientation));
    assert.deepEqual([image.width, image.height], [120, 80]);
    assert.deepEqual(
      image.variants.map(({ type, width, height }) => [type, width, height]),
      [
        ['tiny_64', 64, 43],
        ['small_256', 120, 80],
        ['medium_750', 120, 80],
        ['large_1024', 120, 80],
      ],
    );
    await assertQuarters(image, 12);
  });

test('the orientation of a PNG is applied as well', async () => {
  const upright = await samples.quarters().png().toBuffer();
  const stored = await sharp(upright).rotate(270).withMetadata({ orientation: 6 }).png().toBuffer();
  const image = await renderImage(stored);
  assert.deepEqual([image.width, image.height, image.format], [120, 80, 'png']);
  await assertQuarters(image, 12);
});

test('CMYK, 16-bit and wide-gamut images are converted to sRGB', async () => {
  await assertQuarters(await renderImage(await samples.png16Bit()), 12);
  await assertQuarters(await renderImage(await samples.displayP3Jpeg()), 14);
  // CMYK cannot represent a blue as vivid as the original.
  await assertQuarters(await renderImage(await samples.cmykJpeg()), 80);
});

test('a variant contains no EXIF, location, profile or name', async () => {
  const original = await samples.gpsJpeg();
  assert.ok(original.includes('SecretPlace') && original.includes('SecretArtist'));
  const image = await renderImage(original);
  for (const { bytes, type } of image.variants) {
    const { exif, icc, xmp, iptc } = await sharp(bytes).metadata();
    assert.deepEqual([exif, icc, xmp, iptc], [undefined, undefined, undefined, undefined], type);
    for (const secret of ['Secret', 'Acme', 'GPS', 'Exif'])
      assert.equal(Buffer.from(bytes).includes(secret), false, `${secret} in ${type}`);
  }
  assert.equal(JSON.stringify(image.facts).includes('Secret'), false);
});

test('the facts include camera, exposure and time', async () => {
  const { facts } = await renderImage(await samples.gpsJpeg());
  assert.deepEqual(facts.exif, {
    takenAt: '2024-05-17T07:30:00.000Z',
    camera: 'Acme Pocket 3',
    lens: 'Acme 35mm f/2.8',
    iso: 400,
    exposureSeconds: 0.004,
    aperture: 2.8,
    focalLengthMm: 35,
  });
});

test('the facts include colours and measures', async () => {
  const { facts } = await renderImage(await samples.quarters().png().toBuffer());
  assert.deepEqual(
    new Set(facts.colours.map(({ name }) => name)),
    new Set(['red', 'green', 'blue', 'yellow']),
  );
  assert.equal(facts.look, 'graphic');
  assert.equal(facts.frames, 1);
  const black = await renderImage(samples.blackPng({ width: 300, height: 300 }));
  assert.equal(black.facts.look, 'blank');
  assert.deepEqual(black.facts.colours, [{ name: 'black', hex: '#000000', share: 1 }]);
});

test('transparency is kept, as WebP, and the blur hash is computed on white', async () => {
  const image = await renderImage(await samples.halfTransparentPng());
  assert.equal(image.facts.hasAlpha, true);
  for (const { bytes, contentType } of image.variants) {
    assert.equal(contentType, 'image/webp');
    const { channels } = await sharp(bytes).stats();
    assert.deepEqual([channels[3]?.min, channels[3]?.max], [0, 255]);
  }
  const right = decode(image.blurHash, 4, 1).slice(12, 15);
  assert.ok(Math.min(...right) > 220, `white is ${right.join()}`);
});

test('a fully opaque alpha channel is dropped', async () => {
  const image = await renderImage(await samples.opaqueAlphaPng());
  assert.equal(image.facts.hasAlpha, false);
  for (const { contentType } of image.variants) assert.equal(contentType, 'image/jpeg');
  await assertQuarters(image, 12);
});

test('a one-pixel image yields four one-pixel variants and a blur hash', async () => {
  const image = await renderImage(samples.blackPng({ width: 1, height: 1 }));
  assert.deepEqual(
    image.variants.map(({ width, height }) => [width, height]),
    Array.from({ length: 4 }, () => [1, 1]),
  );
  assert.match(image.blurHash, /^[\w#$%*+,\-.:;=?@[\]^{|}~]{6,}$/);
});

test('an image one pixel wide stays one pixel wide', async () => {
  const image = await renderImage(samples.blackPng({ width: 1, height: 65_500 }));
  assert.deepEqual(
    image.variants.map(({ width, height }) => [width, height]),
    [
      [1, 64],
      [1, 256],
      [1, 750],
      [1, 1024],
    ],
  );
});

test('AVIF and TIFF are rendered; of several pages, the first', async () => {
  for (const format of ['avif', 'tiff'] as const) {
    const image = await renderImage(await samples.quarters().toFormat(format).toBuffer());
    assert.equal(image.format, format);
    await assertQuarters(image, 14);
  }
  const page = (grey: number) => ({ width: 20, height: 10, grey: new Uint8Array(200).fill(grey) });
  const pages = await renderImage(writeTiff([page(255), page(0), page(0)]));
  assert.deepEqual([pages.width, pages.facts.frames, pages.facts.colours[0]?.name], [20, 3, 'white']);
  const giant = writeTiff([{ width: 100_000, height: 100_000, grey: new Uint8Array(9) }]);
  await assertRefused(giant, 'IMAGE_TOO_LARGE');
});

const TURNED_LEFT = ['topRight', 'bottomRight', 'topLeft', 'bottomLeft'] as const;
const MIRRORED = ['topRight', 'topLeft', 'bottomRight', 'bottomLeft'] as const;
const UPSIDE_DOWN = ['bottomLeft', 'bottomRight', 'topLeft', 'topRight'] as const;

for (const [what, properties, size, order] of [
  ['turned by its properties', [box('irot', Buffer.of(1))], [160, 240], TURNED_LEFT],
  ['mirrored by its properties', [box('imir', Buffer.of(1))], [240, 160], MIRRORED],
  ['turned and mirrored', [box('irot', Buffer.of(2)), box('imir', Buffer.of(1))], [240, 160], UPSIDE_DOWN],
] as const) {
  test(`a HEIC is ${what}, and not again by its EXIF`, async () => {
    const item = await codedItem('hevc', properties);
    const exif = { ...(await exifItem({ Orientation: '6' })), reference: { type: 'cdsc', to: [1] } } as const;
    const image = await renderImage(writeHeif([item, exif], HEIC_BRANDS));
    assert.deepEqual([image.width, image.height, image.format], [...size, 'heic']);
    const colours = order.map((corner) => samples.CORNERS[corner]);
    await assertColours(image.variants.at(-1)?.bytes ?? new Uint8Array(), 12, colours);
  });
}

test('a HEIC of tiles is put together, has its date, and its depth and thumbnail are ignored', async () => {
  const tile = await codedItem('hevc');
  const black = await codedItem('hevc', [], { image: samples.quarters().linear(0, 0) });
  const grid = Buffer.concat([Buffer.of(0, 0, 0, 1), u16(480, 160)]);
  const image = await renderImage(
    writeHeif(
      [
        {
          type: 'grid',
          data: grid,
          properties: [imageSize(480, 160)],
          reference: { type: 'dimg', to: [2, 3] },
        },
        tile,
        { ...tile },
        { ...black, reference: { type: 'thmb', to: [1] } },
        {
          ...black,
          properties: [
            ...(black.properties ?? []),
            fullBox('auxC', 0, Buffer.from('urn:mpeg:hevc:2015:auxid:2\0')),
          ],
          reference: { type: 'auxl', to: [1] },
        },
        {
          ...(await exifItem({ DateTimeOriginal: '2024:07:04 12:00:00', OffsetTimeOriginal: '+0200' })),
          reference: { type: 'cdsc', to: [1] },
        },
      ],
      HEIC_BRANDS,
    ),
  );
  assert.deepEqual([image.width, image.height, image.format], [480, 160, 'heic']);
  assert.equal(image.facts.exif.takenAt, '2024-07-04T10:00:00.000Z');
  const large = Buffer.from(image.variants.at(-1)?.bytes ?? []);
  for (const left of [0, 240]) {
    const half = await sharp(large).extract({ left, top: 0, width: 240, height: 160 }).png().toBuffer();
    await assertColours(half, 12);
  }
});

test('the alpha of a HEIC is kept', async () => {
  const alpha = await codedItem('hevc', [], { image: samples.quarters().linear(0, 128), pixels: 'gray' });
  const auxiliary = fullBox('auxC', 0, Buffer.from('urn:mpeg:hevc:2015:auxid:1\0'));
  const items = [
    await codedItem('hevc'),
    { ...alpha, properties: [...(alpha.properties ?? []), auxiliary], reference: { type: 'auxl', to: [1] } },
  ] as const;
  const { facts } = await renderImage(writeHeif(items, HEIC_BRANDS));
  assert.equal(facts.hasAlpha, true);
});

test('a HEIC that is cut off or damaged is refused', async () => {
  const whole = await heic();
  await assertRefused(whole.subarray(0, whole.length - 500), 'IMAGE_UNREADABLE');
  await assertRefused(whole.subarray(0, 200), 'IMAGE_UNREADABLE');
});

test('an AVIF beyond a limit of its codec is refused, although the codec reports a failed allocation', async () => {
  const avif = await samples.quarters().avif().toBuffer();
  const items = avif.indexOf('iloc') + 10;
  avif.writeUInt16BE(30_000, items);
  await assertRefused(avif, 'IMAGE_UNREADABLE');
});

test('the first frame of an animation is rendered, and its frames are counted', async () => {
  const image = await renderImage(samples.animatedGif(10_000));
  assert.equal(image.format, 'gif');
  assert.equal(image.facts.frames, 10_000);
  assert.equal(image.facts.colours[0]?.name, 'red');
});

test('ten megabytes of EXIF or ICC, and forged EXIF, are cheap to process', async () => {
  const bulky = Buffer.concat([Buffer.from('II*\0\x08\0\0\0', 'latin1'), Buffer.alloc(10_000_000, 7)]);
  const profile = Buffer.concat([Buffer.from('x\0\0', 'latin1'), Buffer.alloc(10_000_000, 7)]);
  const chunks = [
    ['eXIf', bulky],
    ['eXIf', samples.forgedExif()],
    ['iCCP', profile],
  ] as const;
  for (const [type, data] of chunks) {
    const original = samples.blackPng({ width: 20, height: 20, depth: 8, chunks: { [type]: data } });
    const image = await renderImage(original);
    assert.equal(image.variants.length, 4);
  }
});

test('more than 100 megapixels are rejected by the header alone', async () => {
  const bomb = samples.blackPng({ width: 16_000, height: 16_000 });
  assert.ok(bomb.length < 200_000);
  await assertRefused(bomb, 'IMAGE_TOO_LARGE');
  await assertRefused(samples.pngClaiming({ width: 10_001, height: 10_000 }), 'IMAGE_TOO_LARGE');
  await assertRefused(await samples.jpegClaiming(65_500, 65_500), 'IMAGE_TOO_LARGE');
});

test('an impossible dimension is an unreadable header', async () => {
  await assertRefused(samples.pngClaiming({ width: 2 ** 31, height: 1 }), 'IMAGE_UNREADABLE');
  await assertRefused(samples.pngClaiming({ width: 2 ** 31 - 1, height: 2 ** 31 - 1 }), 'IMAGE_UNREADABLE');
  await assertRefused(samples.pngClaiming({ width: 0, height: 5 }), 'IMAGE_UNREADABLE');
});

test('variants keep the aspect ratio within a pixel, exceed neither their bound nor the image, and are never empty', async () => {
  const side = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 3000 }));
  await fc.assert(
    fc.asyncProperty(side, side, async (width, height) => {
      const { variants } = await renderImage(samples.blackPng({ width, height }));
      for (const { maxDimension, type } of VARIANTS) {
        const variant = variants.find((candidate) => candidate.type === type);
        assert.ok(variant, type);
        const scale = Math.min(1, maxDimension / Math.max(width, height));
        assert.equal(
          Math.max(variant.width, variant.height),
          Math.min(maxDimension, Math.max(width, height)),
        );
        assert.ok(variant.width >= 1 && Math.abs(variant.width - width * scale) < 1);
        assert.ok(variant.height >= 1 && Math.abs(variant.height - height * scale) < 1);
      }
    }),
    { numRuns: 60 },
  );
});

test('exactly 100 megapixels are rendered', async () => {
  const image = await renderImage(samples.blackPng({ width: 10_000, height: 10_000 }));
  assert.deepEqual([image.width, image.height], [10_000, 10_000]);
});

test('a truncated image is rejected in every format', async () => {
  const detailed = samples.grain();
  const whole = {
    jpeg: await detailed.clone().jpeg().toBuffer(),
    progressive: await detailed.clone().jpeg({ progressive: true }).toBuffer(),
    png: await detailed.clone().png().toBuffer(),
    interlaced: await detailed.clone().png({ progressive: true }).toBuffer(),
    webp: await detailed.clone().webp().toBuffer(),
    gif: await detailed.clone().gif().toBuffer(),
  };
  for (const [format, bytes] of Object.entries(whole)) {
    await assert.doesNotReject(renderImage(bytes), format);
    for (const kept of [0.01, 0.3, 0.6, 0.95])
      await assertRefused(bytes.subarray(0, Math.floor(bytes.length * kept)), 'IMAGE_UNREADABLE');
  }
});

test('a JPEG without its end marker or with stray bytes is rendered', async () => {
  const jpeg = await samples.quarters().jpeg({ quality: 95 }).toBuffer();
  const stray = Buffer.from('stray');
  const odd = [
    jpeg.subarray(0, -2),
    jpeg.subarray(0, -1),
    Buffer.concat([jpeg, stray]),
    Buffer.concat([jpeg.subarray(0, 2), stray, jpeg.subarray(2)]),
  ];
  for (const bytes of odd) await assertQuarters(await renderImage(bytes), 14);
});

test('a PNG without its last chunk is rendered', async () => {
  const png = await samples.quarters().png().toBuffer();
  await assertQuarters(await renderImage(png.subarray(0, -12)), 12);
});

test('empty input, text and other formats are rejected', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  for (const bytes of [Buffer.alloc(0), Buffer.from('hello'), Buffer.from('BM'), svg])
    await assertRefused(bytes, 'IMAGE_UNREADABLE');
});

test('a view for small print is upright, bounded in pixels and bytes, and without metadata', async () => {
  const upright = await renderView(await samples.orientedJpeg(6), { maxDimension: 100 });
  assert.deepEqual([upright.width, upright.height, upright.contentType], [100, 67, 'image/jpeg']);

  const { bytes } = await renderView(await samples.gpsJpeg(), { maxDimension: 2048 });
  assert.doesNotMatch(Buffer.from(bytes).toString('latin1'), /Secret|Acme|GPS|Exif/);

  // As large as a JPEG can be: noise has nothing to compress.
  const [width, height] = [2400, 2400];
  const pixels = randomBytes(width * height * 3);
  const busy = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const view = await renderView(busy, { maxDimension: 2048 });
  assert.deepEqual([view.width, view.height], [2048, 2048]);
  assert.ok(view.bytes.byteLength <= 3_500_000, `${view.bytes.byteLength} bytes`);
});
