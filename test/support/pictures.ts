import { randomUUID } from 'node:crypto';
import sharp from 'sharp';

interface NamedPicture {
  bytes: Buffer<ArrayBuffer>;
  filename: string;
}

/** Plain pictures, each with content of its own. */
export function pictures(count: number, width = 60, height = 60): Promise<NamedPicture[]> {
  const picture = sharp({ create: { width, height, channels: 3, background: '#753' } });
  return Promise.all(
    Array.from({ length: count }, async (_, index) => ({
      bytes: await picture
        .clone()
        .withExif({ IFD0: { ImageDescription: randomUUID() } })
        .jpeg()
        .toBuffer(),
      filename: `${index}.jpg`,
    })),
  );
}
