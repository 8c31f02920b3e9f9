import { writeFileSync } from 'node:fs';
import { openApiDocument } from './http/openapi.ts';
import { ROUTES } from './routes/index.ts';

/** `npm run openapi`: writes the committed document; a test fails when it is out of date. */
writeFileSync(
  new URL('openapi.json', import.meta.url),
  `${JSON.stringify(openApiDocument(ROUTES), null, 2)}\n`,
);
