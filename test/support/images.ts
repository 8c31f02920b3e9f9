import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { quarters } from './sample-images.ts';

interface NamedImage {
  bytes: Buffer<ArrayBuffer>;
  filename: string;
}

/** A plain JPEG with unique content. */
export const uniqueImage = (width = 60, height = 40): Promise<Buffer<ArrayBuffer>> =>
  sharp({ create: { width, height, channels: 3, background: '#753' } })
    .withExif({ IFD0: { ImageDescription: randomUUID() } })
    .jpeg()
    .toBuffer();

/** Several images with unique content. */
export const images = (count: number, width = 60, height = 60): Promise<NamedImage[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, index) => ({
      bytes: await uniqueImage(width, height),
      filename: `image-${index}.jpg`,
    })),
  );

/** A PNG that is unique by trailing bytes, which decoders ignore; small unless a size is given. */
export async function paddedImage(sizeBytes = 0): Promise<Buffer<ArrayBuffer>> {
  const png = await quarters().png().toBuffer();
  return Buffer.concat([png, randomBytes(Math.max(32, sizeBytes - png.length))]);
}

/** A sample image of the demo. */
export const demoImage = (name: string): Buffer =>
  readFileSync(new URL(`../../dev/samples/${name}`, import.meta.url));

let slow: Promise<Buffer> | undefined;
/** An image that takes a few seconds to decode, and to make. */
export const slowImage = (): Promise<Buffer> =>
  (slow ??= sharp({ create: { width: 9000, height: 9000, channels: 3, background: '#357' } })
    .png({ progressive: true })
    .toBuffer());
