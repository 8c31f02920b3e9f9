import { readFile } from 'node:fs/promises';
import { parse } from 'node:path';
import type { DemoSample } from './demo-api.ts';

/** A file to upload, whose title is its name in words. */
export async function readSample(path: string): Promise<DemoSample> {
  const { base, name } = parse(path);
  const words = name.replaceAll('-', ' ');
  return {
    filename: base,
    title: words.charAt(0).toUpperCase() + words.slice(1),
    bytes: await readFile(path),
  };
}
