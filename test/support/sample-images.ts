import { constants, crc32, deflateRawSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/**
 * Images for tests, generated on demand, small in bytes whatever their dimensions, and deterministic: the same call
 * returns the same image.
 */

export const CORNERS = {
  topLeft: [220, 30, 30],
  topRight: [30, 160, 60],
  bottomLeft: [30, 60, 220],
  bottomRight: [240, 220, 40],
} as const;

/** An upright image of 120 × 80 with four different quadrants, so that every rotation and reflection is visible. */
export function quarters(): Sharp {
  const [width, height] = [120, 80];
  const pixels = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const vertical = y < height / 2 ? 'top' : 'bottom';
      const horizontal = x < width / 2 ? 'Left' : 'Right';
      pixels.set(CORNERS[`${vertical}${horizontal}`], (y * width + x) * 3);
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** An image of 400 × 300 pixels without equal neighbours, so that every format needs many bytes. */
export function grain(): Sharp {
  const [width, height] = [400, 300];
  let state = 1;
  const pixels = Uint8Array.from({ length: width * height * 3 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** `quarters()` as a camera held in one of the eight EXIF orientations would store it. */
export async function orientedJpeg(orientation: Orientation): Promise<Buffer> {
  // The transformation that viewers undo: rotation, then reflection.
  const stored: Record<Orientation, { turn: number; mirror: boolean }> = {
    1: { turn: 0, mirror: false },
    2: { turn: 0, mirror: true },
    3: { turn: 180, mirror: false },
    4: { turn: 180, mirror: true },
    5: { turn: 90, mirror: true },
    6: { turn: 270, mirror: false },
    7: { turn: 270, mirror: true },
    8: { turn: 90, mirror: false },
  };
  const { turn, mirror } = stored[orientation];
  const turned = sharp(await quarters().png().toBuffer()).rotate(turn);
  const mirrored = sharp(await turned.png().toBuffer()).flop(mirror);
  return mirrored
    .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
    .withExif({ IFD0: { Orientation: String(orientation) } })
    .withMetadata({ orientation })
    .toBuffer();
}

/** A JPEG in CMYK, as used in print. */
export function cmykJpeg(): Promise<Buffer> {
  return quarters().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer();
}

export function png16Bit(): Promise<Buffer> {
  return quarters().toColourspace('rgb16').png().toBuffer();
}

/** A JPEG in Display P3. */
export function displayP3Jpeg(): Promise<Buffer> {
  return quarters().withIccProfile('p3').jpeg({ quality: 95 }).toBuffer();
}

/** A PNG whose left half is opaque red and whose right half is fully transparent. */
export function halfTransparentPng(): Promise<Buffer> {
  const red = { create: { width: 100, height: 100, channels: 4, background: '#d01818' } } as const;
  return sharp({ create: { width: 200, height: 100, channels: 4, background: '#0000' } })
    .composite([{ input: red, left: 0, top: 0 }])
    .png()
    .toBuffer();
}

/** A PNG with a fully opaque alpha channel. */
export function opaqueAlphaPng(): Promise<Buffer> {
  return quarters().ensureAlpha().png().toBuffer();
}

/** A photograph-like JPEG with a location, a camera, a time and a colour profile. */
export function gpsJpeg(): Promise<Buffer> {
  return quarters()
    .withIccProfile('p3')
    .withExif({
      IFD0: { Make: 'Acme', Model: 'Acme Pocket 3', Artist: 'SecretArtist' },
      IFD2: {
        DateTimeOriginal: '2024:05:17 09:30:00',
        OffsetTimeOriginal: '+02:00',
        ExposureTime: '1/250',
        FNumber: '28/10',
        ISOSpeedRatings: '400',
        FocalLength: '35/1',
        LensModel: 'Acme 35mm f/2.8',
      },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1', GPSMapDatum: 'SecretPlace' },
    })
    .jpeg()
    .toBuffer();
}

/** A 1 × 1 GIF of many frames, 23 bytes each. */
export function animatedGif(frames: number): Buffer {
  const header = Buffer.from('GIF89a\x01\0\x01\0\x80\0\0\xff\0\0\0\0\xff', 'latin1');
  const frame = Buffer.from('\x21\xf9\x04\0\x01\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0', 'latin1');
  return Buffer.concat([header, ...Array.from({ length: frames }, () => frame), Buffer.from(';')]);
}

export interface PngClaim {
  width: number;
  height: number;
  /** Bits per channel, 1 by default. */
  depth?: 1 | 8 | 16;
  /** One grey channel by default. */
  channels?: 1 | 3;
  /** Further chunks, by four-letter type, before the pixels. */
  chunks?: Record<string, Uint8Array>;
}

/** A black PNG of any size, generated without holding its pixels in memory: 256 megapixels of depth 1 take 31 KB. */
export function blackPng(claim: PngClaim): Buffer {
  const { width, height, depth = 1, channels = 1 } = claim;
  return pngFile(claim, deflatedZeros((1 + Math.ceil((width * channels * depth) / 8)) * height));
}

/** A PNG whose header claims any size and whose pixels are missing. */
export function pngClaiming(claim: PngClaim): Buffer {
  return pngFile(claim, deflatedZeros(2));
}

function pngFile(
  { width, height, depth = 1, channels = 1, chunks = {} }: PngClaim,
  pixels: Uint8Array,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = channels === 1 ? 0 : 2;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...Object.entries(chunks).map(([type, data]) => pngChunk(type, data)),
    pngChunk('IDAT', pixels),
    pngChunk('IEND', new Uint8Array()),
  ]);
}

/** A zlib stream of zeros, built from repeated blocks, each of which ends with a full flush. */
function deflatedZeros(count: number): Buffer {
  const block = 2 ** 20;
  const deflated = (zeros: number): Buffer =>
    deflateRawSync(new Uint8Array(zeros), { finishFlush: constants.Z_FULL_FLUSH });
  const adler32 = Buffer.alloc(4);
  adler32.writeUInt16BE(count % 65_521, 0);
  adler32.writeUInt16BE(1, 2);
  const whole = deflated(block);
  return Buffer.concat([
    Buffer.of(0x78, 0x01),
    ...Array.from({ length: Math.floor(count / block) }, () => whole),
    deflated(count % block),
    Buffer.of(0x03, 0x00),
    adler32,
  ]);
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A small JPEG whose frame header was rewritten to claim another size. */
export async function jpegClaiming(width: number, height: number): Promise<Buffer> {
  const jpeg = await quarters().jpeg().toBuffer();
  const frame = jpeg.indexOf(Buffer.of(0xff, 0xc0));
  jpeg.writeUInt16BE(height, frame + 5);
  jpeg.writeUInt16BE(width, frame + 7);
  return jpeg;
}

/**
 * A little-endian EXIF block of 64 KB whose five thousand entries each claim the whole block: a naive reader collects
 * 300 million numbers.
 */
export function forgedExif(): Buffer {
  const block = Buffer.alloc(65_500);
  const entries = 5000;
  block.write('II*\0', 'latin1');
  block.writeUInt32LE(8, 4);
  block.writeUInt16LE(entries, 8);
  for (let index = 0; index < entries; index++) {
    const entry = 10 + index * 12;
    block.writeUInt16LE(0x8800 + index, entry);
    block.writeUInt16LE(1, entry + 2);
    block.writeUInt32LE(60_000, entry + 4);
    block.writeUInt32LE(8, entry + 8);
  }
  return block;
}

/** A JPEG with extra bytes in segments of one kind, each with a signature, as profiles are split. */
export function jpegWithSegments(jpeg: Buffer, marker: number, signature: Uint8Array, bytes: number): Buffer {
  const room = 65_533;
  const count = Math.ceil(bytes / room);
  const segments = Array.from({ length: count }, (_, index) => {
    const segment = Buffer.alloc(4 + room - 2);
    segment.set([0xff, marker]);
    segment.writeUInt16BE(segment.length - 2, 2);
    segment.set(signature, 4);
    segment.set([index + 1, count], 4 + signature.length);
    return segment;
  });
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}
