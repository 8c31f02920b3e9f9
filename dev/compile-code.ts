import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROJECT_ROOT } from './project-root.ts';

/**
 * `node dev/compile-code.ts`: loads what the processes of the service load, once for a set of packages, which leaves it compiled
 * in the folder NODE_COMPILE_CACHE. Processes that are killed leave nothing there, and contained ones cannot.
 */
const MODULES = [
  'engines/text-models/sentence-encoders.ts',
  'engines/text-recogniser/recogniser-thread.ts',
  'api/app.ts',
  'worker/connect.ts',
  'worker/deps.ts',
  'worker/queues.ts',
  'db/migrate-schema.ts',
];
const CHILDREN = [
  'adapters/source-folder/folder-process.ts',
  'engines/image-decoder/decoder-process.ts',
  'engines/page-parser/page-process.ts',
  'engines/video-reader/probe-process.ts',
];
const READER = 'engines/document-reader/reader-process.ts';

const cache = getCompileCacheDir();
// What a change of the code leaves compiled for its former state is little beside the packages.
const packages = createHash('sha256').update(readFileSync(join(PROJECT_ROOT, 'package.json')));
const stamp = join(cache ?? '', `loaded-${packages.digest('hex').slice(0, 16)}`);
if (!cache) {
  console.error('Nothing is compiled ahead: NODE_COMPILE_CACHE names no folder that can be written to.');
} else if (!existsSync(stamp)) {
  // Loaded lazily: a current cache needs none of it.
  const { READER_STACK } = await import('../engines/document-reader/create-document-reader.ts');
  load(MODULES.map(urlOf));
  for (const child of CHILDREN) load([urlOf('engines/hosts/entry.ts')], urlOf(child));
  // Its own flag makes the code compiled for the others useless.
  load([urlOf('engines/hosts/entry.ts')], urlOf(READER), [READER_STACK]);
  writeFileSync(stamp, '');
}

function urlOf(path: string): string {
  return pathToFileURL(join(PROJECT_ROOT, path)).href;
}

/** Loads modules in a process that ends by itself. @param child the module that the entry of a child loads */
function load(urls: string[], child = '', flags: string[] = []): void {
  const code = `Promise.all(${JSON.stringify(urls)}.map((url) => import(url))).then(() => process.exit())`;
  execFileSync(process.execPath, [...flags, '--eval', code, '-', child], {
    // The entry of a child expects a channel.
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
}
