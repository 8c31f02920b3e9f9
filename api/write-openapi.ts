import { writeFileSync } from 'node:fs';
import { CONTENT_TYPES_OF_SDKS } from './openapi/sdk-content-types.ts';
import { openApiDocument } from './openapi/document.ts';
import { errorsPage } from './openapi/errors-page.ts';
import { ROUTES } from './routes/index.ts';

/**
 * Number of levels written on separate lines, by part: each operation, event, component or tag takes one
 * line.
 */
const LEVELS: Readonly<Record<string, number>> = { paths: 2, webhooks: 1, components: 2 };

/**
 * `npm run openapi`: writes the committed document, the page of its errors, and the content types of the SDKs; a test fails
 * when they are out of date.
 */
writeFileSync(new URL('openapi.json', import.meta.url), `${layOut(openApiDocument(ROUTES), 1)}\n`);
writeFileSync(new URL('../docs/errors.md', import.meta.url), errorsPage());
for (const [path, text] of Object.entries(CONTENT_TYPES_OF_SDKS)) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
}

/** JSON with the given number of levels on separate lines, so that a small change changes one line. */
function layOut(value: unknown, levels: number, indent = '  '): string {
  if (levels === 0) return JSON.stringify(value);
  const lines = Object.entries(value as object).map(([key, part]) => {
    const below = LEVELS[key] ?? levels - 1;
    return `${indent}${JSON.stringify(key)}: ${layOut(part, below, `${indent}  `)}`;
  });
  return `{\n${lines.join(',\n')}\n${indent.slice(2)}}`;
}
