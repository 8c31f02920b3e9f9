import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { findUnused } from './unused-files.ts';

/** `node dev/image/prune-packages.ts FOLDER`: removes from a `node_modules` what a container of the service never reads. */
const [, , folder] = process.argv;
if (folder === undefined) throw new Error('Usage: node dev/image/prune-packages.ts FOLDER');
for (const path of findUnused(folder)) rmSync(join(folder, path), { recursive: true, force: true });
