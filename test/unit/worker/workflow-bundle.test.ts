import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  chooseWorkflows,
  ensureWorkflowBundle,
  hashWorkflowSources,
  isCurrentBundle,
  WORKFLOWS_PATH,
} from '../../../worker/workflow-bundle.ts';

const folder = mkdtempSync(join(tmpdir(), 'darkroom-bundle-'));
after(() => rmSync(folder, { recursive: true }));

/** The bundle chosen by a worker, and its log. */
function choose(bundle?: string) {
  const logged: string[] = [];
  const log = {
    info: (message: string) => logged.push(message),
    warn: (_: unknown, message: string) => logged.push(message),
  };
  return { chosen: chooseWorkflows(bundle, log as never), logged: logged.join() };
}

test('a bundle is used only if it was built from the current sources', async () => {
  const bundle = join(folder, 'current.js');
  assert.equal(isCurrentBundle(bundle), false);
  await ensureWorkflowBundle(bundle);
  assert.deepEqual(choose(bundle), { chosen: { workflowBundle: { codePath: bundle } }, logged: '' });

  const built = readFileSync(bundle, 'utf8');
  const stale = built.replace(hashWorkflowSources(), '0'.repeat(64));
  assert.notEqual(stale, built);
  writeFileSync(bundle, stale);
  const { chosen, logged } = choose(bundle);
  assert.deepEqual(chosen, { workflowsPath: WORKFLOWS_PATH });
  assert.match(logged, /not built from these sources/);

  await ensureWorkflowBundle(bundle);
  assert.equal(readFileSync(bundle, 'utf8').slice(0, 200), built.slice(0, 200));
});

test('a worker without a bundle uses the sources and logs it', () => {
  const { chosen, logged } = choose();
  assert.deepEqual(chosen, { workflowsPath: WORKFLOWS_PATH });
  assert.match(logged, /is not set/);
});

test('the hash depends on the name and the content of every source', () => {
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
    return hashWorkflowSources(folder);
  };
  const hashes = [
    write('workflows/index.ts', 'export const a = 1;'),
    write('workflows/index.ts', 'export const a = 2;'),
    write('domain/limits.ts', ''),
    write('temporal/contract/workflow.ts', ''),
  ];
  assert.equal(new Set(hashes).size, 4);
  assert.equal(write('services/other.ts', ''), hashes.at(-1));
});
