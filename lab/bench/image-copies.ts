import sharp, { type OverlayOptions, type Sharp } from 'sharp';

/** An image in the set. Copies have the name of their original in `of`, distractors a unique name. */
export interface BenchImage {
  of: string;
  kind: string;
  bytes: Uint8Array;
}

/** Seeded pseudo-random numbers from 0 to 1. */
export function createDice(seed = 7): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const jpeg = (image: Sharp, quality = 85) => image.jpeg({ quality }).toBuffer();

/** The ten copies that a search for the original should find: crops keep 80 % of each side. */
export async function copiesOf(name: string, png: Uint8Array): Promise<BenchImage[]> {
  const { width, height } = await sharp(png).metadata();
  const scaled = (factor: number) => sharp(png).resize(Math.max(16, Math.round(width * factor)));
  const crop = (left: number, top: number) =>
    sharp(png).extract({
      left: Math.floor(width * 0.2 * left),
      top: Math.floor(height * 0.2 * top),
      width: Math.floor(width * 0.8),
      height: Math.floor(height * 0.8),
    });
  const turned = await sharp(png).rotate(90).png().toBuffer();
  const copies: Record<string, Promise<Buffer>> = {
    'crop, centre': jpeg(crop(0.5, 0.5)),
    'crop, corner': jpeg(crop(name.length % 2, 1)),
    'half size': jpeg(scaled(0.5)),
    'quarter size': jpeg(scaled(0.25)),
    'other hue': jpeg(sharp(png).modulate({ hue: 60, saturation: 1.3 })),
    grey: jpeg(sharp(png).greyscale()),
    'warm light': jpeg(sharp(png).linear([1.15, 1, 0.8], [0, 0, 0])),
    brighter: jpeg(sharp(png).gamma(1.8)),
    'JPEG quality 20': jpeg(sharp(png), 20),
    'turned by EXIF': sharp(turned).jpeg().withMetadata({ orientation: 8 }).toBuffer(),
  };
  return Promise.all(
    Object.entries(copies).map(async ([kind, bytes]) => ({ of: name, kind, bytes: await bytes })),
  );
}

/**
 * Images that are not copies but resemble the originals: rotated, mirrored and recoloured parts, patchworks of parts,
 * and painted shapes.
 */
export async function distractors(
  originals: readonly Uint8Array[],
  count: number,
  dice: () => number,
): Promise<BenchImage[]> {
  const makers = [part, patchwork, painting];
  const images: BenchImage[] = [];
  for (let i = 0; i < count; i++) {
    const make = makers[i % makers.length] ?? painting;
    images.push({ of: `distractor ${i}`, kind: make.name, bytes: await make(originals, dice) });
  }
  return images;
}

async function somePart(originals: readonly Uint8Array[], share: number, dice: () => number): Promise<Sharp> {
  const original = originals[Math.floor(dice() * originals.length)];
  const { width, height } = await sharp(original).metadata();
  const size = { width: Math.ceil(width * share), height: Math.ceil(height * share) };
  const left = Math.floor(dice() * (width - size.width));
  const top = Math.floor(dice() * (height - size.height));
  return sharp(
    await sharp(original)
      .extract({ left, top, ...size })
      .png()
      .toBuffer(),
  );
}

async function part(originals: readonly Uint8Array[], dice: () => number): Promise<Uint8Array> {
  const piece = await somePart(originals, 0.3 + 0.2 * dice(), dice);
  const turned = piece.rotate(dice() < 0.5 ? 90 : 180).flop(dice() < 0.5);
  return jpeg(turned.modulate({ hue: Math.floor(dice() * 360) }));
}

async function patchwork(originals: readonly Uint8Array[], dice: () => number): Promise<Uint8Array> {
  const tiles: OverlayOptions[] = [];
  for (let tile = 0; tile < 9; tile++) {
    const piece = (await somePart(originals, 0.33, dice)).resize(128, 128, { fit: 'fill' });
    tiles.push({
      input: await piece.png().toBuffer(),
      left: (tile % 3) * 128,
      top: Math.floor(tile / 3) * 128,
    });
  }
  const board = { create: { width: 384, height: 384, channels: 3, background: '#000' } } as const;
  return jpeg(sharp(board).composite(tiles));
}

async function painting(_: readonly Uint8Array[], dice: () => number): Promise<Uint8Array> {
  const colour = () => `hsl(${dice() * 360},${dice() * 100}%,${10 + dice() * 80}%)`;
  const shape = () =>
    dice() < 0.5
      ? `<ellipse cx="${dice() * 400}" cy="${dice() * 300}" rx="${10 + dice() * 120}" ry="${10 + dice() * 120}" fill="${colour()}"/>`
      : `<rect x="${dice() * 400}" y="${dice() * 300}" width="${10 + dice() * 200}" height="${10 + dice() * 200}" fill="${colour()}"/>`;
  const shapes = Array.from({ length: 3 + Math.floor(dice() * 12) }, shape).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="400" height="300" fill="${colour()}"/>${shapes}</svg>`;
  return jpeg(sharp(Buffer.from(svg)).blur(0.5 + dice() * 3));
}
