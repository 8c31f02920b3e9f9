import proto from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ensureWorkflowBundle } from '../../worker/workflow-bundle.ts';

/** Recorded runs of every released version, which the workflow code must still replay. */
const HISTORIES = new URL('histories/', import.meta.url);
const files = readdirSync(HISTORIES).filter((name) => name.endsWith('.json'));
const [changed = ''] = files.filter((name) => name.startsWith('process-file'));

/** Errors by the name of each history whose replay failed. */
async function replayAll(): Promise<Map<string, Error>> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const workflowBundle = { codePath: await ensureWorkflowBundle() };
  const recorded = [
    { name: 'changed', text: read(changed).replaceAll('makeImage', 'makeNothing') },
    ...files.map((file) => ({ name: file, text: read(file) })),
  ];
  // One worker replays all histories in order, as each further worker would compile the bundle again.
  const names = recorded.values();
  const failures = new Map<string, Error>();
  for await (const { error } of Worker.runReplayHistories({ workflowBundle }, recorded.map(toHistory))) {
    const { name = '' } = names.next().value ?? {};
    if (error) failures.set(name, error);
  }
  assert.equal(names.next().done, true, 'a history was not replayed');
  return failures;
}

let replayed: Promise<Map<string, Error>> | undefined;
const failures = () => (replayed ??= replayAll());

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
  test(`replays ${file.replace('.json', '')}`, async () => assert.ifError((await failures()).get(file)));

test('a history that the code could not have produced fails the replay', async () => {
  assert.ok((await failures()).has('changed'));
});
