import { writeFileSync } from 'node:fs';
import { configurationPage } from './configuration-page.ts';
import { modelsPage } from './models-page.ts';

/** `npm run docs`: writes the pages that derive from the code; a test fails when they are out of date. */
writeFileSync(new URL('../../docs/configuration.md', import.meta.url), configurationPage());
writeFileSync(new URL('../../docs/models.md', import.meta.url), modelsPage());
