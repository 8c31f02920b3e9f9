import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findBreaches, findReachedSources, reachableFrom } from './imports/breaches.ts';
import { findFileCycles, findFolderCycles } from './imports/find-cycles.ts';
import { readModules } from './imports/read-modules.ts';
import { BLACK_BOX_FOLDERS, RULES } from './imports/rules.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const sources = globSync('**/*.{ts,tsx}', {
  cwd: ROOT,
  exclude: (name) => name.startsWith('.') || ['node_modules', 'dist'].includes(name),
}).map((path): [string, string] => [path, readFileSync(join(ROOT, path), 'utf8')]);
const modules = readModules(sources);
/** Modules of the reader, except those that know no format. */
const READER = /^packages\/reader\/src\/(?!document\/|language\.ts)|^engines\/document-reader\//;

test('every import obeys the import rules', () => {
  assert.ok(modules.size > 500, 'the walk must find the sources');
  assert.deepEqual(findBreaches(modules, RULES), []);
});

test('acceptance tests import no sources, not even indirectly', () => {
  assert.deepEqual(
    BLACK_BOX_FOLDERS.flatMap((folder) => findReachedSources(modules, folder)),
    [],
  );
});

test('the API evaluates no module of the document reader', () => {
  const evaluated = reachableFrom(modules, 'api/main.ts');
  assert.ok(evaluated.size > 500, 'the walk must reach the services');
  assert.deepEqual(
    [...evaluated].filter((path) => READER.test(path)),
    [],
  );
});

test('the process that reads pages of links evaluates no format of the document reader but markup', () => {
  const evaluated = [...reachableFrom(modules, 'engines/page-parser/page-process.ts')];
  assert.deepEqual(
    evaluated
      .filter((path) => READER.test(path))
      .map((path) => path.slice('packages/reader/src/'.length))
      .toSorted(),
    [
      'flow/grid.ts',
      'flow/numeral.ts',
      'flow/paginate.ts',
      'html/html-elements.ts',
      'html/index.ts',
      'html/math-text.ts',
      'inline/inline-marks.ts',
      'inline/raised.ts',
      'layout/geometry.ts',
      'layout/key-values.ts',
      'layout/plain-text.ts',
      'limits.ts',
      'markup/parse-markup.ts',
      'opened-document.ts',
      'text/decode-text.ts',
      'text/johab.ts',
    ],
  );
});

test('files have no import cycles', () => assert.deepEqual(findFileCycles(modules), []));

test('folders have no import cycles', () => assert.deepEqual(findFolderCycles(modules), []));

test('only entry points read the environment', () => {
  const mains =
    /(^|\/)main\.ts$|^console\/vite\.config\.ts$|^db\/(migrate|create-migration)\.ts$|^lab\/bench\/[^/]+\.ts$|^test\//;
  const readers = sources.filter(([path, text]) => text.includes('process.env') && !mains.test(path));
  assert.deepEqual(
    readers.map(([path]) => path),
    [],
  );
});
