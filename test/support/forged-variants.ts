import sharp from 'sharp';

/** Bytes that a tenant may put in the place of a variant, none of which a model for images may decode. */
export async function forgedVariants(): Promise<Record<string, Uint8Array>> {
  const large = (side: number) =>
    sharp({ create: { width: side, height: side, channels: 3, background: '#f00' } });
  const jpeg = await large(64).jpeg().toBuffer();
  return {
    'a web page': Buffer.from('<html>'),
    nothing: Buffer.alloc(0),
    'an SVG': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    'a PNG': await large(64).png().toBuffer(),
    'a JPEG of more pixels': await large(2000).jpeg().toBuffer(),
    'a WebP of more pixels': await large(2000).webp().toBuffer(),
    'half a JPEG': jpeg.subarray(0, jpeg.length / 2),
  };
}
