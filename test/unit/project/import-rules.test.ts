import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBreaches, findReachedSources } from './imports/breaches.ts';
import { findFileCycles, findFolderCycles } from './imports/find-cycles.ts';
import { readModules } from './imports/read-modules.ts';
import { RULES } from './imports/rules.ts';

/** Applies the import rules of this project to synthetic sources. */
const modulesOf = (sources: Record<string, string>) => readModules(Object.entries(sources));
const breaches = (path: string, text: string) => findBreaches(modulesOf({ [path]: text }), RULES);

/** A word apart, or this file would import what its samples do. */
const IMPORT = 'import';
const ALLOWED: [path: string, text: string][] = [
  ['services/files/a.ts', `import { b } from '../accounts/b.ts';\nimport { c } from './c.ts';`],
  ['services/uploads/batch/a.ts', `import { b } from '../streaming/b.ts';`],
  ['workflows/a.ts', `import type { Activities } from '../activities/index.ts';`],
  ['api/routes/files/a.ts', `import { b } from '../../resources/file/present.ts';`],
  ['cli/audit/main.ts', `import { b } from '../../services/audit/index.ts';`],
  [
    'adapters/models/a.ts',
    `import type { Chat } from 'openai/index';\nconst a = await ${IMPORT}('openai/index');`,
  ],
  ['adapters/models/a.ts', `import OpenAI, { type Chat } from 'openai/index';\nimport fs from 'node:fs';`],
];
for (const [path, text] of ALLOWED) {
  test(`${path} may contain ${text.replaceAll('\n', ' ')}`, () => assert.deepEqual(breaches(path, text), []));
}

const FORBIDDEN: [kind: string, path: string, text: string, breach: string][] = [
  ['a folder without a rule', 'services/reviews/a.ts', '', 'no rule for its folder'],
  ['a top folder without a rule', 'plugins/a.ts', '', 'no rule for its folder'],
  [
    'a service that imports a service listed below it',
    'services/accounts/a.ts',
    `import { b } from '../uploads/streaming/b.ts';`,
    'services/uploads/streaming/b.ts',
  ],
  [
    'a service that imports recovery',
    'services/trash/a.ts',
    `import { b } from '../recovery/b.ts';`,
    'services/recovery/b.ts',
  ],
  [
    'an import of the audit outside the commands',
    'api/a.ts',
    `import { b } from '../services/audit/b.ts';`,
    'services/audit/b.ts',
  ],
  [
    'domain that imports its own schemas',
    'domain/a.ts',
    `import { b } from './schemas/b.ts';`,
    'domain/schemas/b.ts',
  ],
  ['a package that is not listed', 'services/files/a.ts', `import sharp from 'sharp';`, 'sharp'],
  [
    'a part of a package that is not listed',
    'db/a.ts',
    `import { b } from '@temporalio/common/lib/time.js';`,
    '@temporalio/common',
  ],
  ['a builtin in the sandbox', 'workflows/a.ts', `import { join } from 'node:path';`, 'node:path'],
  ['a builtin loaded late', 'domain/a.ts', `const fs = await import('node:fs');`, 'node:fs'],
  [
    'workflows that import the code of activities',
    'workflows/a.ts',
    `import { b } from '../activities/b.ts';`,
    'activities/b.ts',
  ],
  [
    'workflows that re-export a forbidden module',
    'workflows/a.ts',
    `export * from '../services/files/b.ts';`,
    'services/files/b.ts',
  ],
  [
    'a route that imports a route of another folder',
    'api/routes/trash/a.ts',
    `import { b } from '../files/b.ts';`,
    'api/routes/files/b.ts',
  ],
  [
    'a route that reads tables',
    'api/routes/files/a.ts',
    `import { B } from '../../../db/entities/files/b.ts';`,
    'db/entities/files/b.ts',
  ],
  [
    'an acceptance test that imports a source',
    'test/acceptance/a.test.ts',
    `import { b } from '../../domain/b.ts';`,
    'domain/b.ts',
  ],
  [
    'a client library that imports a source',
    'sdk/a.ts',
    `import { b } from '../domain/b.ts';`,
    'domain/b.ts',
  ],
  [
    'a module that is imported twice',
    'domain/a.ts',
    `import { b } from './b.ts';\nimport type { C } from './b.ts';`,
    './b.ts is imported twice',
  ],
];
for (const [kind, path, text, breach] of FORBIDDEN) {
  test(`rejects ${kind}`, () => assert.deepEqual(breaches(path, text), [`${path}: ${breach}`]));
}

test('a multi-line statement is one import', () => {
  const text = `import {\n  a,\n  type B,\n} from '../uploads/b.ts';\nexport const from = 'nothing';`;
  assert.deepEqual(breaches('services/accounts/a.ts', text), [
    'services/accounts/a.ts: services/uploads/b.ts',
  ]);
});

test('a helper through which an acceptance test reaches a source is found', () => {
  const modules = modulesOf({
    'test/acceptance/a.test.ts': `import { b } from '../support/b.ts';`,
    'test/support/b.ts': `import { c } from './c.ts';`,
    'test/support/c.ts': `import { d } from '../../domain/d.ts';`,
    'test/support/other.ts': `import { e } from '../../domain/e.ts';`,
    'domain/d.ts': '',
  });
  assert.deepEqual(findReachedSources(modules, 'test/acceptance/'), ['test/support/c.ts: domain/d.ts']);
});

test('import cycles of files are found, including type imports', () => {
  const modules = modulesOf({
    'domain/a.ts': `import { b } from './b.ts';`,
    'domain/b.ts': `import { c } from './c.ts';`,
    'domain/c.ts': `import type { A } from './a.ts';`,
    'domain/d.ts': `import { a } from './a.ts';`,
  });
  assert.deepEqual(findFileCycles(modules), [['domain/a.ts', 'domain/b.ts', 'domain/c.ts']]);
  assert.deepEqual(findFolderCycles(modules), []);
});

test('dependency cycles of sibling folders are found at any depth', () => {
  const modules = modulesOf({
    'api/live/a.ts': `import { b } from '../routes/files/b.ts';`,
    'api/routes/sessions/c.ts': `import { d } from '../../live/d.ts';`,
    'api/app.ts': `import { a } from './live/a.ts';`,
    'api/live/d.ts': `import type { Deps } from '../deps.ts';`,
    'api/routes/files/b.ts': '',
    'api/deps.ts': '',
  });
  assert.deepEqual(findFileCycles(modules), []);
  assert.deepEqual(findFolderCycles(modules), [['api/live', 'api/routes']]);
});
