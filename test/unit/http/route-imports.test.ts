import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROUTES = fileURLToPath(new URL('../../../api/routes', import.meta.url));
const imports = (file: string) =>
  [...readFileSync(join(ROUTES, file), 'utf8').matchAll(/ from '([^']+)'/g)].map((match) => match[1] ?? '');
const files = globSync('*/*.ts', { cwd: ROUTES });

test('routes call services, never the database', () => {
  assert.ok(files.length > 20, 'the walk does not find the routes');
  const queriers = files.filter((file) => imports(file).some((from) => /\/db\/|^@mikro-orm\//.test(from)));
  assert.deepEqual(queriers, []);
});

test('routes share code through resources and do not import other routes, except an alias its original', () => {
  const strangers = files
    .filter((file) => dirname(file) !== 'legacy' && dirname(file) !== 'system')
    .filter((file) => imports(file).some((from) => /^\.\.\/[^.]/.test(from)));
  assert.deepEqual(strangers, []);
});

test('a route folder contains only routes', () => {
  const others = files.filter((file) => !/-(routes?|aliases)\.ts$/.test(file) && file !== 'legacy/index.ts');
  assert.deepEqual(others, []);
});
