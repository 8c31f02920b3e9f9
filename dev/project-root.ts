import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const PROJECT_ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Compiled code of all programs of this checkout, for NODE_COMPILE_CACHE: a quarter of the time of their start. */
export const COMPILE_CACHE = join(PROJECT_ROOT, 'node_modules', '.cache', 'node');
