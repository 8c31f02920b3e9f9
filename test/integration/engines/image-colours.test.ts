import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { renderImage } from '../../../engines/image-decoder/render-image.ts';
import { renderView } from '../../../engines/image-decoder/render-view.ts';
import { AVIF_BRANDS, codedItem, HEIC_BRANDS } from '../../support/heic.ts';
import { iccProfile, nclx, u32, writeHeif } from '../../support/heif-writer.ts';
import { pngChunk, withPngChunks } from '../../support/png-chunks.ts';
import { assertQuarters } from '../../support/quarters.ts';
import { cmykJpeg, quarters } from '../../support/sample-images.ts';

/** The numbers of Display P3 for the colours of `quarters()`. */
const p3 = () => quarters().withIccProfile('p3', { attach: false });
const profileOf = async (image: Sharp) =>
  (await sharp(await image.png().toBuffer()).metadata()).icc ?? Buffer.alloc(0);
const P3_PROFILE = await profileOf(quarters().withIccProfile('p3'));
const iccChunk = (profile: Uint8Array) =>
  pngChunk('iCCP', Buffer.concat([Buffer.from('x\0\0', 'latin1'), deflateSync(profile)]));

/** 16-bit values, each of which is a function of the sRGB value. */
async function recoded(curve: (value: number) => number): Promise<Buffer> {
  const { data, info } = await quarters().raw().toBuffer({ resolveWithObject: true });
  const samples = Uint16Array.from(data, (value) => Math.round(curve(value / 255) * 65_535));
  const raw = { width: info.width, height: info.height, channels: 3 } as const;
  return sharp(samples, { raw }).toColourspace('rgb16').png().toBuffer();
}
const toLight = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const gAMA = (value: number) => pngChunk('gAMA', u32(Math.round(value * 100_000)));
const cHRM = (...values: number[]) =>
  pngChunk('cHRM', u32(...values.map((value) => Math.round(value * 100_000))));
const cICP = (primaries: number, transfer: number, matrix = 0, isFull = 1) =>
  pngChunk('cICP', Buffer.of(primaries, transfer, matrix, isFull));
const P3_XY = [0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06];

async function coded(
  codec: 'hevc' | 'av1',
  pixels: string,
  properties: readonly Buffer[],
  options: { image?: Sharp; range?: string } = {},
): Promise<Buffer> {
  const item = await codedItem(codec, properties, { image: p3(), pixels, ...options });
  return writeHeif([item], codec === 'hevc' ? HEIC_BRANDS : AVIF_BRANDS);
}

/** Light as PQ, where white has 203 cd/m². */
function pq(light: number): number {
  const power = (light * 0.0203) ** 0.1593017578125;
  return ((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power)) ** 78.84375;
}
/** The numbers of BT.2020 for the colours of `quarters()`, of a transfer function. */
async function bt2020(curve: (light: number) => number): Promise<Sharp> {
  const { data, info } = await quarters().raw().toBuffer({ resolveWithObject: true });
  const samples = new Uint16Array(data.length);
  for (let at = 0; at < data.length; at += 3) {
    const [r = 0, g = 0, b = 0] = [...data.subarray(at, at + 3)].map((value) => toLight(value / 255));
    const light = [
      0.6274 * r + 0.3293 * g + 0.0433 * b,
      0.0691 * r + 0.9195 * g + 0.0114 * b,
      0.0164 * r + 0.088 * g + 0.8956 * b,
    ];
    samples.set(
      light.map((value) => Math.round(curve(value) * 65_535)),
      at,
    );
  }
  const raw = { width: info.width, height: info.height, channels: 3 } as const;
  return sharp(samples, { raw }).toColourspace('rgb16');
}

/** A profile of greys that are coded as light. */
function greyProfile(): Buffer {
  const tags: [string, Buffer][] = [
    ['wtpt', Buffer.concat([Buffer.from('XYZ \0\0\0\0'), u32(0xf6d6, 0x10000, 0xd32d)])],
    ['kTRC', Buffer.from('curv\0\0\0\0\0\0\0\0')],
    ['desc', Buffer.concat([Buffer.from('desc\0\0\0\0\0\0\0\u0002g\0'), Buffer.alloc(80)])],
    ['cprt', Buffer.from('text\0\0\0\0x\0\0\0')],
  ];
  const header = Buffer.alloc(132 + tags.length * 12);
  let at = header.length;
  header.writeUInt32BE(0x02100000, 8);
  header.write('mntrGRAYXYZ ', 12);
  header.write('acsp', 36);
  u32(0xf6d6, 0x10000, 0xd32d, 0).copy(header, 68);
  header.writeUInt32BE(tags.length, 128);
  for (const [index, [name, data]] of tags.entries()) {
    Buffer.concat([Buffer.from(name), u32(at, data.length)]).copy(header, 132 + index * 12);
    at += data.length;
  }
  header.writeUInt32BE(at);
  return Buffer.concat([header, ...tags.map(([, data]) => data)]);
}

const GREYS = [112, 139, 83, 218].map((value) => [value, value, value]);
/** `quarters()` without colours, coded as light in 8 or 16 bits. */
async function greys(space: 'b-w' | 'grey16'): Promise<Buffer> {
  const { data, info } = await quarters().greyscale().raw().toBuffer({ resolveWithObject: true });
  const samples = Uint16Array.from(data, (value) => Math.round(toLight(value / 255) * 65_535));
  const raw = { width: info.width, height: info.height, channels: 1 } as const;
  const pixels = space === 'grey16' ? samples : Uint8Array.from(samples, (value) => value >> 8);
  return sharp(pixels, { raw }).toColourspace(space).png().toBuffer();
}

/** Every way in which the accepted formats tell their colours, at each bit depth and layout. */
const rows: Record<string, { image: () => Promise<Buffer>; off?: number; expected?: number[][] }> = {
  'PNG, 8 bits': { image: () => quarters().png().toBuffer() },
  'PNG, 16 bits': { image: () => recoded((value) => value) },
  'PNG, palette': { image: () => quarters().png({ palette: true }).toBuffer() },
  'PNG, profile': { image: () => quarters().withIccProfile('p3').png().toBuffer() },
  'PNG, palette and profile': {
    image: async () =>
      withPngChunks(await p3().png({ palette: true, quality: 100 }).toBuffer(), iccChunk(P3_PROFILE)),
  },
  'PNG, 16 bits and profile': {
    image: async () =>
      withPngChunks(
        await sharp(await p3().png().toBuffer())
          .toColourspace('rgb16')
          .png()
          .toBuffer(),
        iccChunk(P3_PROFILE),
      ),
  },
  'PNG, 16 bits, alpha and profile': {
    image: async () =>
      withPngChunks(
        await sharp(await p3().png().toBuffer())
          .ensureAlpha(0.5)
          .toColourspace('rgb16')
          .png()
          .toBuffer(),
        iccChunk(P3_PROFILE),
      ),
  },
  'PNG, greys and profile': {
    image: async () => withPngChunks(await greys('b-w'), iccChunk(greyProfile())),
    expected: GREYS,
  },
  'PNG, greys of 16 bits and profile': {
    image: async () => withPngChunks(await greys('grey16'), iccChunk(greyProfile())),
    expected: GREYS,
  },
  'PNG, greys and gAMA': {
    image: async () => withPngChunks(await greys('grey16'), gAMA(1)),
    expected: GREYS,
  },
  'PNG, gAMA of linear light': { image: async () => withPngChunks(await recoded(toLight), gAMA(1)) },
  'PNG, gAMA of sRGB': { image: async () => withPngChunks(await quarters().png().toBuffer(), gAMA(0.45455)) },
  'PNG, gAMA 1.8 of old Macs': {
    image: async () => withPngChunks(await recoded((value) => toLight(value) ** (1 / 1.8)), gAMA(1 / 1.8)),
  },
  'PNG, gAMA and cHRM of Display P3': {
    image: async () => withPngChunks(await p3().png().toBuffer(), gAMA(0.45455), cHRM(...P3_XY)),
  },
  'PNG, alpha, gAMA and cHRM': {
    image: async () =>
      withPngChunks(
        await sharp(await p3().png().toBuffer())
          .ensureAlpha(0.5)
          .png()
          .toBuffer(),
        gAMA(0.45455),
        cHRM(...P3_XY),
      ),
  },
  'PNG, cHRM without gAMA, which browsers ignore': {
    image: async () => withPngChunks(await quarters().png().toBuffer(), cHRM(...P3_XY)),
  },
  'PNG, sRGB before gAMA': {
    image: async () =>
      withPngChunks(await quarters().png().toBuffer(), pngChunk('sRGB', Buffer.of(0)), gAMA(1)),
  },
  'PNG, cICP of Display P3': { image: async () => withPngChunks(await p3().png().toBuffer(), cICP(12, 13)) },
  'PNG, cICP before a profile': {
    image: async () => withPngChunks(await quarters().png().toBuffer(), cICP(1, 13), iccChunk(P3_PROFILE)),
  },
  'PNG, reserved cICP': { image: async () => withPngChunks(await quarters().png().toBuffer(), cICP(99, 99)) },
  'PNG, cICP of PQ': {
    image: async () => withPngChunks(await (await bt2020(pq)).png().toBuffer(), cICP(9, 16)),
    off: 35,
  },
  'PNG, impossible gAMA and cHRM': {
    image: async () =>
      withPngChunks(await quarters().png().toBuffer(), gAMA(0), cHRM(0, 0, 0, 0, 0, 0, 0, 0)),
  },
  'TIFF, profile': { image: () => quarters().withIccProfile('p3').tiff({ compression: 'lzw' }).toBuffer() },
  'TIFF, 16 bits and profile': {
    image: () =>
      quarters().toColourspace('rgb16').withIccProfile('p3').tiff({ compression: 'lzw' }).toBuffer(),
  },
  'TIFF, Lab': { image: () => quarters().toColourspace('lab').tiff({ compression: 'lzw' }).toBuffer() },
  'TIFF, floating point': {
    image: () => quarters().toColourspace('scrgb').tiff({ compression: 'lzw' }).toBuffer(),
  },
  'TIFF, CMYK, which has no vivid blue': {
    image: () => quarters().toColourspace('cmyk').tiff({ compression: 'lzw' }).toBuffer(),
    off: 80,
  },
  'TIFF, JPEG within': { image: () => quarters().tiff({ compression: 'jpeg', quality: 95 }).toBuffer() },
  'JPEG, CMYK': { image: () => cmykJpeg(), off: 80 },
  'JPEG, profile': { image: () => quarters().withIccProfile('p3').jpeg({ quality: 95 }).toBuffer(), off: 14 },
  'WebP, profile': { image: () => quarters().withIccProfile('p3').webp({ quality: 95 }).toBuffer(), off: 14 },
  'AVIF, profile': { image: () => quarters().withIccProfile('p3').avif({ quality: 90 }).toBuffer(), off: 14 },
  'AVIF, code points of Display P3': { image: () => coded('av1', 'yuv420p', [nclx(12, 13, 6)]), off: 12 },
  'AVIF, 10 bits and code points': { image: () => coded('av1', 'yuv444p10le', [nclx(12, 13, 6)]), off: 12 },
  'AVIF, 12 bits and profile': {
    image: () => coded('av1', 'yuv444p12le', [nclx(1, 13, 6), iccProfile(P3_PROFILE)]),
    off: 12,
  },
  'AVIF of limited range': {
    image: () => coded('av1', 'yuv420p', [nclx(12, 13, 6, false)], { range: 'limited' }),
    off: 12,
  },
  'AVIF, RGB': { image: () => coded('av1', 'gbrp', [nclx(12, 13, 0)]), off: 12 },
  'AVIF of PQ': {
    image: async () => coded('av1', 'yuv444p10le', [nclx(9, 16, 6)], { image: await bt2020(pq) }),
    off: 35,
  },
  'HEIC, code points of Display P3': { image: () => coded('hevc', 'yuv420p', [nclx(12, 13, 6)]), off: 12 },
  'HEIC, profile before code points': {
    image: () => coded('hevc', 'yuv420p', [nclx(1, 13, 6), iccProfile(P3_PROFILE)]),
    off: 12,
  },
  'HEIC, 10 bits and profile': {
    image: () => coded('hevc', 'yuv420p10le', [nclx(1, 13, 6), iccProfile(P3_PROFILE)]),
    off: 12,
  },
  'HEIC of PQ': {
    image: async () => coded('hevc', 'yuv444p10le', [nclx(9, 16, 6)], { image: await bt2020(pq) }),
    off: 35,
  },
};

for (const [what, { image, off = 8, expected }] of Object.entries(rows)) {
  test(`${what}: the colours are those that browsers show`, async () => {
    const original = await image();
    const { variants } = await renderImage(original);
    for (const { bytes } of variants.slice(1)) await assertQuarters(bytes, off, expected);
    const view = await renderView(original, { maxDimension: 1024 });
    await assertQuarters(view.bytes, off, expected);
  });
}
