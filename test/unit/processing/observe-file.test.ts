import type { EntityManager } from '@mikro-orm/postgresql';
import proto from '@temporalio/proto';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { observeFile } from '../../../services/processing/observe-file.ts';
import type { Engine } from '../../../temporal/client.ts';

const { History } = proto.temporal.api.history.v1;
const recorded = new URL('../../replay/histories/process-file-v1-failed-again.json', import.meta.url);

/**
 * An engine with the run of a broken image, after its first step failed and before the workflow recorded it.
 */
function afterFailure(): Engine {
  const { history } = JSON.parse(readFileSync(recorded, 'utf8')) as { history: object };
  const { events } = History.fromObject(history);
  const failed = events.findIndex((event) => event.activityTaskFailedEventAttributes);
  assert.ok(failed > 0);
  const handle = {
    describe: async () => ({
      runId: 'run',
      status: { name: 'RUNNING' },
      startTime: new Date(),
      memo: { generation: 2 },
      typedSearchAttributes: { get: () => 'image' },
      raw: { pendingActivities: [], pendingWorkflowTask: { attempt: 1 } },
    }),
    fetchHistory: async () => ({ events: events.slice(0, failed + 1) }),
  };
  const client = { workflow: { getHandle: () => handle } } as unknown as Engine['client'];
  return {
    client,
    within: (_ms, calls) => calls(client),
    reportUnreached: () => undefined,
    historyNames: true,
    close: async () => undefined,
  };
}

test('a retried component that was never started is not shown as processing', async () => {
  const file = {
    id: 'file',
    mediaType: 'image',
    generation: 2,
    primaryStatus: 'pending',
    components: { variant: { status: 'queued' }, description: { status: 'queued' } },
  } as unknown as StoredFile;
  const { components } = await observeFile({ em: {} as EntityManager, engine: afterFailure() }, file);
  assert.deepEqual([components.variant?.status, components.description?.status], ['processing', 'queued']);
});
