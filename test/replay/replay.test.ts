import proto from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { ensureWorkflowBundle } from '../../worker/workflow-bundle.ts';

/** The workflow code must still replay the recorded runs of every released version. */
const HISTORIES = new URL('histories/', import.meta.url);
let workflowBundle: { codePath: string };

before(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  workflowBundle = { codePath: await ensureWorkflowBundle() };
});

const files = readdirSync(HISTORIES).filter((name) => name.endsWith('.json'));

test('there are histories to replay', () => assert.ok(files.length > 0));

/** @param change applied to the recorded text first */
function replay(file: string, change = (text: string) => text): Promise<void> {
  const text = change(readFileSync(new URL(file, HISTORIES), 'utf8'));
  const { workflowId, history } = JSON.parse(text) as {
    workflowId: string;
    history: Record<string, unknown>;
  };
  const recorded = proto.temporal.api.history.v1.History.fromObject(history);
  return Worker.runReplayHistory({ workflowBundle }, recorded, workflowId);
}

for (const file of files) test(`replays ${file.replace('.json', '')}`, () => replay(file));

test('a history that the code would not have produced fails the replay', async () => {
  const [file = ''] = files.filter((name) => name.startsWith('process-file'));
  await assert.rejects(replay(file, (text) => text.replaceAll('makeImage', 'makeNothing')));
});
