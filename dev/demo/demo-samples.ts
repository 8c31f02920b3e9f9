import { readdir, readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import sharp from 'sharp';
import { PROJECT_ROOT } from '../project-root.ts';
import type { DemoSample } from './demo-api.ts';

const SAMPLES = join(PROJECT_ROOT, 'dev', 'samples');
const DOCUMENTS = join(SAMPLES, 'documents');
const VIDEOS = join(SAMPLES, 'videos');
const SCREENSHOT = join(PROJECT_ROOT, 'docs', 'images', 'temporal-timeline.png');
const IMAGE = /\.(jpe?g|png|webp|gif)$/i;

/** The sample photographs, a screenshot with text, and a recoloured crop of one photograph. */
export async function demoImages(): Promise<DemoSample[]> {
  const names = (await readdir(SAMPLES)).filter((name) => IMAGE.test(name)).toSorted();
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

/** The sample documents: a PDF, a Word document and a scan. */
export async function demoDocuments(): Promise<DemoSample[]> {
  const names = (await readdir(DOCUMENTS)).toSorted();
  return Promise.all(names.map((name) => readSample(join(DOCUMENTS, name))));
}

/** The sample video, made of three of the photographs. */
export async function demoVideos(): Promise<DemoSample[]> {
  const names = (await readdir(VIDEOS)).toSorted();
  return Promise.all(names.map((name) => readSample(join(VIDEOS, name))));
}

/** A file to upload, whose title is its name in words. */
async function readSample(path: string): Promise<DemoSample> {
  const { base, name } = parse(path);
  const words = name.replaceAll('-', ' ');
  return {
    filename: base,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    bytes: await readFile(path),
  };
}
