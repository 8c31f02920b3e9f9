import proto from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { ensureWorkflowBundle } from '../../worker/workflow-bundle.ts';

/** The workflow code must still replay the recorded runs of every released version. */
const HISTORIES = new URL('histories/', import.meta.url);
const files = readdirSync(HISTORIES).filter((name) => name.endsWith('.json'));
const [changed = ''] = files.filter((name) => name.startsWith('process-file'));

/** Why the replay of a history failed, of those that did. */
const failures = new Map<string, Error>();

before(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const workflowBundle = { codePath: await ensureWorkflowBundle() };
  const recorded = [
    ...files.map((file) => ({ name: file, text: read(file) })),
    { name: 'changed', text: read(changed).replaceAll('makeImage', 'makeNothing') },
  ];
  // One worker for all, which replays them one by one, in order: each would compile the bundle anew.
  const names = recorded.values();
  for await (const { error } of Worker.runReplayHistories({ workflowBundle }, recorded.map(toHistory))) {
    const { name = '' } = names.next().value ?? {};
    if (error) failures.set(name, error);
  }
  assert.equal(names.next().done, true, 'a history was not replayed');
});

const read = (file: string): string => readFileSync(new URL(file, HISTORIES), 'utf8');

function toHistory({ text }: { text: string }) {
  const { workflowId, history } = JSON.parse(text) as {
    workflowId: string;
    history: Record<string, unknown>;
  };
  return { workflowId, history: proto.temporal.api.history.v1.History.fromObject(history) };
}

test('there are histories to replay', () => assert.ok(files.length > 0));

for (const file of files)
  test(`replays ${file.replace('.json', '')}`, () => assert.ifError(failures.get(file)));

test('a history that the code would not have produced fails the replay', () => {
  assert.ok(failures.has('changed'));
});
