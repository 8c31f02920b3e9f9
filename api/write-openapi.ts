import { writeFileSync } from 'node:fs';
import { openApiDocument } from './openapi/document.ts';
import { errorsPage } from './openapi/errors-page.ts';
import { ROUTES } from './routes/index.ts';

/** `npm run openapi`: writes the committed document and the page of its errors; a test fails when they are out of date. */
writeFileSync(
  new URL('openapi.json', import.meta.url),
  `${JSON.stringify(openApiDocument(ROUTES), null, 2)}\n`,
);
writeFileSync(new URL('../docs/errors.md', import.meta.url), errorsPage());
