import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../project-root.ts';
import type { DemoSample } from './demo-api.ts';
import { readSample } from './read-sample.ts';

const SAMPLES = join(PROJECT_ROOT, 'dev', 'samples', 'documents');

/** The sample documents: a PDF, a Word document and a scan. */
export async function demoDocuments(): Promise<DemoSample[]> {
  const names = (await readdir(SAMPLES)).toSorted();
  return Promise.all(names.map((name) => readSample(join(SAMPLES, name))));
}
