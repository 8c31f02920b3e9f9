import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { readModules } from './imports/read-modules.ts';

/** A shorter helper with a single importer belongs into that file. */
const FEWEST_LINES = 25;

/**
 * Files that may be short: entry points of processes and threads, doors of packages, config slices, and folders with one
 * file per item: entities, migrations, pipelines, media, formats, routes, workflows, checks.
 */
const OF_THEIR_OWN =
  /(^|\/)(main|config|settings|thread)\.ts$|^packages\/.*\/index\.ts$|-(workflow|medium|routes)\.ts$|^(db\/(entities|migrations)|domain\/pipelines|services\/exports\/formats|workflows|cli\/doctor\/checks|console\/src\/routes)\//;

/** The short files without a test that have a single importer. */
function shortHelpers(sources: readonly [path: string, text: string][]): string[] {
  const importers = new Map<string, Set<string>>();
  for (const [importer, imports] of readModules(sources)) {
    for (const { file } of imports) {
      if (file !== undefined) importers.set(file, (importers.get(file) ?? new Set()).add(importer));
    }
  }
  return sources.flatMap(([path, text]) => {
    if (path.startsWith('test/') || OF_THEIR_OWN.test(path)) return [];
    const users = [...(importers.get(path) ?? [])];
    const isShort = text.trimEnd().split('\n').length < FEWEST_LINES;
    return isShort && users.length === 1 && !users[0]?.startsWith('test/') ? [path] : [];
  });
}

test('a short helper with a single importer is part of that file', () => {
  const sources = globSync('**/*.{ts,tsx}', {
    cwd: PROJECT_ROOT,
    exclude: (name) => name.startsWith('.') || ['node_modules', 'dist'].includes(name),
  }).map((path): [string, string] => [path, readFileSync(join(PROJECT_ROOT, path), 'utf8')]);
  assert.deepEqual(shortHelpers(sources).toSorted(), [], 'move each into its only importer');
});

test('a file with two importers, a test, 25 lines or a dedicated folder is not a short helper', () => {
  const short = 'export const a = 1;\n';
  const uses = (...names: string[]) => names.map((name) => `import { a } from './${name}.ts';`).join('\n');
  const files: [string, string][] = [
    ['domain/alone.ts', short],
    ['domain/shared.ts', short],
    ['domain/tested.ts', short],
    ['domain/config.ts', short],
    ['domain/long.ts', short.repeat(FEWEST_LINES)],
    ['domain/first.ts', `${uses('alone', 'shared', 'tested', 'config', 'long')}\n${short.repeat(30)}`],
    ['domain/second.ts', `${uses('shared')}\n${short.repeat(30)}`],
    ['test/unit/tested.test.ts', `import { a } from '../../domain/tested.ts';`],
  ];
  assert.deepEqual(shortHelpers(files), ['domain/alone.ts']);
});
