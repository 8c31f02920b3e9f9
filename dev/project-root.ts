import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const PROJECT_ROOT = fileURLToPath(new URL('..', import.meta.url));
