import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Who may import whom, by folder. `types` may be imported with `import type` alone; `packages` are forbidden ones. */
interface Rule {
  may: string[];
  types?: string[];
  packages?: RegExp;
}

const LIBRARIES_OF_THE_EDGE = /^(koa|@koa\/|koa-)/;
const RULES: Record<string, Rule> = {
  'domain/schemas': { may: ['domain'] },
  domain: { may: ['domain'], packages: /./ },
  'temporal/contract': { may: ['temporal/contract', 'domain'], packages: /^(?!@temporalio\/common$)/ },
  temporal: {
    may: ['temporal', 'temporal/contract', 'domain', 'domain/schemas'],
    packages: LIBRARIES_OF_THE_EDGE,
  },
  workflows: {
    may: ['workflows', 'temporal/contract', 'domain'],
    types: ['activities'],
    packages: /^(?!@temporalio\/workflow$)/,
  },
  activities: {
    may: [
      'activities',
      'temporal',
      'temporal/contract',
      'domain',
      'domain/schemas',
      'services',
      'adapters',
      'db',
    ],
    packages: LIBRARIES_OF_THE_EDGE,
  },
  services: {
    may: ['services', 'domain', 'domain/schemas', 'temporal', 'temporal/contract', 'adapters', 'db'],
    packages: LIBRARIES_OF_THE_EDGE,
  },
  adapters: {
    may: ['adapters', 'domain', 'domain/schemas'],
    packages: /^(koa|@koa\/|@temporalio\/|@mikro-orm\/)/,
  },
  db: { may: ['db', 'domain', 'domain/schemas'], packages: /^(koa|@koa\/|@temporalio\/)/ },
  api: {
    may: ['api', 'domain', 'domain/schemas', 'temporal', 'temporal/contract', 'services', 'adapters', 'db'],
    types: ['workflows'],
  },
  worker: {
    may: [
      'worker',
      'activities',
      'domain',
      'domain/schemas',
      'temporal',
      'temporal/contract',
      'services',
      'adapters',
      'db',
    ],
    packages: LIBRARIES_OF_THE_EDGE,
  },
  cli: {
    may: [
      'cli',
      'domain',
      'domain/schemas',
      'temporal',
      'temporal/contract',
      'services',
      'adapters',
      'db',
      'dev',
    ],
  },
  dev: { may: ['dev', 'domain', 'domain/schemas', 'temporal', 'temporal/contract', 'adapters', 'db'] },
  bench: {
    may: [
      'bench',
      'cli',
      'dev',
      'domain',
      'domain/schemas',
      'temporal',
      'temporal/contract',
      'services',
      'adapters',
      'db',
      'workflows',
      'activities',
      'worker',
    ],
  },
  'test/acceptance': { may: ['test/acceptance', 'test/support'] },
};

const FOLDERS = Object.keys(RULES).toSorted((a, b) => b.length - a.length);
const folderOf = (path: string) =>
  FOLDERS.find((folder) => path.startsWith(`${folder}/`)) ??
  path
    .split('/')
    .slice(0, path.startsWith('test/') ? 2 : 1)
    .join('/');
const IMPORT =
  /^(import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gms;

function breaches(file: string): string[] {
  const folder = folderOf(file);
  const rule = RULES[folder];
  if (!rule) return [];
  const source = readFileSync(join(ROOT, file), 'utf8');
  return [...source.matchAll(IMPORT)].flatMap((match) => {
    const target = match[3] ?? match[4] ?? match[5] ?? '';
    const typeOnly = match[2] !== undefined;
    if (!target.startsWith('.')) {
      const isBuiltin = target.startsWith('node:');
      const sandboxed = folder === 'workflows' || folder === 'temporal/contract' || folder === 'domain';
      if (isBuiltin) return sandboxed ? [`${file}: ${target}`] : [];
      return !typeOnly && rule.packages?.test(target) ? [`${file}: ${target}`] : [];
    }
    const to = folderOf(relative(ROOT, normalize(join(ROOT, dirname(file), target))));
    const allowed = rule.may.includes(to) || (typeOnly && rule.types?.includes(to));
    return allowed ? [] : [`${file}: ${to} (${target})`];
  });
}

test('every import keeps to the table of who may import whom', () => {
  const files = globSync(
    '{domain,temporal,workflows,activities,services,adapters,db,api,worker,cli,dev,bench,test/acceptance}/**/*.ts',
    { cwd: ROOT },
  );
  assert.ok(files.length > 50, 'the walk must find the sources');
  assert.deepEqual(files.flatMap(breaches), []);
});

test('only main files, and commands that are mains, read the environment', () => {
  const files = globSync(
    '{domain,temporal,workflows,activities,services,adapters,db,api,worker,cli,dev,bench}/**/*.ts',
    { cwd: ROOT },
  );
  const readers = files.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('process.env'));
  const mains =
    /(^|\/)main\.ts$|^db\/(migrate|create-migration)\.ts$|^cli\/[^/]+\/main\.ts$|^bench\/[^/]+\.ts$/;
  assert.deepEqual(
    readers.filter((file) => !mains.test(file)),
    [],
  );
});
