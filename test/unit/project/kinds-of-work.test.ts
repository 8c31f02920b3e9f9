import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { readModules } from './imports/read-modules.ts';

const SOURCES = globSync('{domain,temporal,db,adapters,services,workflows,activities,api,worker}/**/*.ts', {
  cwd: PROJECT_ROOT,
}).map((path): [path: string, text: string] => [path, readFileSync(join(PROJECT_ROOT, path), 'utf8')]);

/** The files of each kind of work with a `defineWork`: those that define its workflow, do its work, or list it. */
function filesOfKinds(): Map<string, string[]> {
  const imports = readModules(SOURCES);
  const importersOf = (file: string) =>
    SOURCES.flatMap(([path]) => (imports.get(path)?.some((one) => one.file === file) ? [path] : []));
  const kinds = SOURCES.flatMap(([path, text]) => {
    const found = /export const (?<work>\w+) = defineWork\(\{.*?\bworkflow: (?<workflow>\w+)/s.exec(
      text,
    )?.groups;
    return found ? [{ path, ...(found as { work: string; workflow: string }) }] : [];
  });
  return new Map(
    kinds.map(({ path, work, workflow }) => {
      const contract = SOURCES.find(([, text]) => text.includes(`export const ${workflow} = rowWorkflows<`));
      const type = /\btype: '(?<type>\w+)'/.exec(contract?.[1].split(`const ${workflow} =`)[1] ?? '')
        ?.groups?.['type'];
      assert.ok(contract && type, `${workflow} is not in the contract`);
      const noun = path.slice(0, path.lastIndexOf('/') + 1);
      const users = importersOf(contract[0]);
      // An operation of the API may have the name of a workflow.
      const names = (file: string) => [
        workflow,
        `${work}\\.target`,
        ...(file.startsWith('api/') ? [] : [type]),
      ];
      const naming = SOURCES.flatMap(([file, text]) =>
        !file.startsWith(noun) && new RegExp(`\\b(${names(file).join('|')})\\b`).test(text) ? [file] : [],
      );
      const activities = [...users, ...naming].filter((user) => user.startsWith('activities/'));
      const all = [path, ...naming, ...activities, ...activities.flatMap((file) => importersOf(file))];
      return [work, [...new Set(all)].toSorted()];
    }),
  );
}

test('a kind of durable work is at most seven files, besides its row and what its noun does', () => {
  const kinds = filesOfKinds();
  assert.ok(kinds.size >= 4);
  for (const [work, files] of kinds) assert.ok(files.length <= 7, `${work}: ${files.join(', ')}`);
  assert.deepEqual(kinds.get('exportWork'), [
    'activities/export-activities.ts',
    'activities/index.ts',
    'services/all-work.ts',
    'services/exports/export-work.ts',
    'temporal/contract/export-data.ts',
    'workflows/export-data.ts',
    'workflows/index.ts',
  ]);
});
