import { readFileSync } from 'node:fs';

/** Examples by operation id: what a test sends, and what it is answered. */
export type OpenApiExamples = Readonly<
  Record<string, { parameters?: Record<string, unknown>; body?: unknown; answer?: unknown }>
>;

/** `npm run examples` writes them. */
export const EXAMPLES = JSON.parse(
  readFileSync(new URL('examples.json', import.meta.url), 'utf8'),
) as OpenApiExamples;
