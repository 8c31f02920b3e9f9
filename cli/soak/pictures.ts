import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { PROJECT_ROOT } from '../../dev/project-root.ts';
import type { Dice } from '../shared/dice.ts';

export interface Picture {
  name: string;
  contentType: string;
  bytes: Buffer<ArrayBuffer>;
}

const SAMPLES = join(PROJECT_ROOT, 'dev', 'samples');
const SCREENSHOT = join(PROJECT_ROOT, 'docs', 'images', 'temporal-timeline.png');
const PARTS_OF_EACH = 8;
/** Shares of the pictures; the others are photographs of ordinary size. */
const TEXT_SHARE = 0.03;
const LARGE_SHARE = 0.02;
const LARGE_WIDTH = 3_000;

/**
 * Pictures as people send them: photographs and parts of them, some large ones, some pages of text. Each has bytes of
 * its own at its end, so that none is a duplicate.
 */
export async function preparePictures(dice: Dice): Promise<() => Picture> {
  const photographs: [Buffer, ...Buffer[]] = [await jpeg(sharp(join(SAMPLES, 'astronaut.webp')))];
  let large: Buffer | undefined;
  for (const name of readdirSync(SAMPLES).filter((name) => !name.endsWith('.md'))) {
    const original = readFileSync(join(SAMPLES, name));
    const { width, height } = await sharp(original).metadata();
    large ??= await jpeg(sharp(original).resize(LARGE_WIDTH));
    for (let part = 0; part < PARTS_OF_EACH; part += 1) {
      const side = Math.floor(Math.min(width, height) * (0.5 + 0.4 * dice.fraction()));
      const [left, top] = [dice.whole(0, width - side), dice.whole(0, height - side)];
      const cut = sharp(original).extract({ left, top, width: side, height: side });
      photographs.push(await jpeg(cut.modulate({ hue: dice.whole(0, 359) })));
    }
  }
  const screenshot = readFileSync(SCREENSHOT);
  return () => {
    const kind = dice.fraction();
    const isText = kind < TEXT_SHARE;
    const isLarge = !isText && kind < TEXT_SHARE + LARGE_SHARE;
    const picture = isText ? screenshot : (isLarge && large) || dice.pick(photographs);
    const id = randomUUID();
    const [extension, contentType] = isText ? ['png', 'image/png'] : ['jpg', 'image/jpeg'];
    return { name: `soak-${id}.${extension}`, contentType, bytes: Buffer.concat([picture, Buffer.from(id)]) };
  };
}

function jpeg(picture: Sharp): Promise<Buffer> {
  return picture.jpeg({ quality: 85 }).toBuffer();
}
