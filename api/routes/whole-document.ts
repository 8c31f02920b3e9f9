import { readFileSync } from 'node:fs';
import type { OpenApiDocument } from '../openapi/document.ts';

/** The OpenAPI document of all operations, as it is committed: building it would take half a second of each start. */
export const WHOLE_DOCUMENT = JSON.parse(
  readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
) as OpenApiDocument;
