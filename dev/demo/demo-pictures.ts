import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { PROJECT_ROOT } from '../project-root.ts';
import type { DemoSample } from './demo-api.ts';
import { readSample } from './read-sample.ts';

const SAMPLES = join(PROJECT_ROOT, 'dev', 'samples');
const SCREENSHOT = join(PROJECT_ROOT, 'docs', 'images', 'temporal-timeline.png');
const PICTURE = /\.(jpe?g|png|webp|gif)$/i;

/** The sample photographs, a screenshot with text, and a recoloured crop of one photograph. */
export async function demoPictures(): Promise<DemoSample[]> {
  const names = (await readdir(SAMPLES)).filter((name) => PICTURE.test(name)).toSorted();
  const photographs = await Promise.all(names.map((name) => readSample(join(SAMPLES, name))));
  const screenshot = { ...(await readSample(SCREENSHOT)), title: 'Screenshot of a workflow' };
  const coffee = photographs.find(({ filename }) => filename === 'coffee.jpg');
  return [...photographs, ...(coffee ? [await partOf(coffee)] : []), screenshot];
}

async function partOf({ filename, title, bytes }: DemoSample): Promise<DemoSample> {
  const { width, height } = await sharp(bytes).metadata();
  const part = await sharp(bytes)
    .extract({
      left: Math.round(width * 0.1),
      top: Math.round(height * 0.1),
      width: Math.round(width * 0.8),
      height: Math.round(height * 0.8),
    })
    .modulate({ brightness: 1.15, saturation: 0.7 })
    .jpeg()
    .toBuffer();
  return { filename: `part-of-${filename}`, title: `${title}, a paler part`, bytes: part };
}
