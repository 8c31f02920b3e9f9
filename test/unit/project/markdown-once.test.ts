import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';

/**
 * Code that takes the Markdown of tables apart: it divides text at bars, looks for their escapes, for bars at the ends of
 * lines, or for rulers. Elements of documents have cells, and `domain/documents/markdown.ts` only writes.
 */
const TAKES_TABLES_APART = [
  // split('|'), split(' | '), split(/\|/), split(/[\s|]+/)
  /split\((?:'\s*\|\s*'|\/[^/\n]*\|\]?\+?\/)/,
  // A bar without an escape before it.
  /\(\?<!\\\\\)\\\|/,
  // Bars at the ends of lines, and rulers.
  /\/\^\\s\*\\\||\/\^\\\||\\\|\$\/|\[[^\]\n]*\|[^\]\n]*-[^\]\n]*\][*+]\$\//,
  /startsWith\('\|'\)/,
];

/** What is written in bars there is no Markdown of an element. */
const OTHERS: Record<string, string> = {
  'packages/reader/src/layout/profile.ts': 'styles of a profile by their names',
  'api/routes/live/live-route.ts': 'characters of a token',
  'packages/reader/src/text/text-elements.ts': 'tables in plain text, as people draw them',
  'engines/local-extraction/find-value.ts': 'lists of labels in the source',
  'db/entities/documents/page-elements.ts': 'what 0.1.0 has stored',
  'engines/text-work/ask/support.ts': 'a row that a model has quoted, which is compared as a whole',
};

test('Markdown of tables is printed, and never read back', () => {
  const files = globSync(
    '{domain,db,adapters,engines,packages,services,api,workflows,activities,worker,console/src,cli}/**/*.{ts,tsx}',
    {
      cwd: PROJECT_ROOT,
    },
  );
  const found = files.filter((file) => {
    const text = readFileSync(`${PROJECT_ROOT}/${file}`, 'utf8');
    return TAKES_TABLES_APART.some((pattern) => pattern.test(text));
  });
  assert.deepEqual(found.toSorted(), Object.keys(OTHERS).toSorted());
});
