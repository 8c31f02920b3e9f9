import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { databaseConfig } from '../../db/config.ts';
import { createOrm, type Orm } from '../../db/create-orm.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { readConfig } from '../../domain/schemas/read-config.ts';
import { ingestFile } from '../../services/uploads/ingest-file.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import { resolveApiKey } from '../../services/accounts/api-key.ts';
import { createEngine } from '../../temporal/client.ts';
import { temporalConfig } from '../../temporal/config.ts';
import { FILE_WORKFLOWS, type ProcessFileResult } from '../../temporal/contract/process-file.ts';
import { BARE_QUEUES, bareWorkflow } from './bare-workflow.ts';
import { type BenchContext, packageVersion } from './context.ts';
import { interleave, milliseconds, ratios, spread, goalResult } from './statistics.ts';
import { FILE_WORKFLOWS_QUEUE, runWorkflowWorkers } from './workflow-workers.ts';
import { workflowOptions } from '../../temporal/contract/workflow.ts';

const GOAL = { most: 1.25 };
const SINGLE_ROUNDS = 30;
const AT_ONCE = 100;

/**
 * W1: `processFile`, whose activities only write to Postgres, compared with a bare workflow of as many empty
 * activities: one local and one ordinary. Also reports a bare workflow without the local activity.
 */
export async function run({ rounds, stack: startStack, progress }: BenchContext): Promise<string[]> {
  const stack = await startStack();
  const config = readConfig([databaseConfig, temporalConfig], stack.env);
  const orm = createOrm(config);
  const engine = createEngine(config);
  const stopWorkers = await runWorkflowWorkers(config.TEMPORAL_ADDRESS, { orm, engine });
  try {
    const { client } = engine;
    const principal = await resolveApiKey(orm.em.fork(), stack.runInfo.api_key);
    const contenders = (count: number) => ({
      ours: async () => {
        const files = await createFiles(orm, principal, count);
        return milliseconds(() => Promise.all(files.map((file) => executeProcessFile(client, file))));
      },
      bare: () =>
        milliseconds(() => Promise.all(Array.from({ length: count }, () => executeBare(client, true)))),
      withoutLocal: () =>
        milliseconds(() => Promise.all(Array.from({ length: count }, () => executeBare(client, false)))),
    });
    const single = await interleave(Math.max(SINGLE_ROUNDS, rounds), contenders(1), (turn) =>
      progress(`one, ${turn}`),
    );
    const many = await interleave(rounds, contenders(AT_ONCE), (turn) =>
      progress(`${AT_ONCE} at once, ${turn}`),
    );
    const { serverVersion } = await client.workflowService.getSystemInfo({});
    const peer = `a bare workflow (${packageVersion('@temporalio/worker')}, server ${serverVersion})`;
    return [
      ...report(`one file at a time, processFile / ${peer}`, single, 1),
      ...report(`${AT_ONCE} files at once, processFile / ${peer}`, many, AT_ONCE),
    ];
  } finally {
    await stopWorkers();
    await engine.close();
    await orm.close(true);
  }
}

function report(
  title: string,
  times: Record<'ours' | 'bare' | 'withoutLocal', number[]>,
  count: number,
): string[] {
  const { ours, bare, withoutLocal } = times;
  const ratio = ratios(ours, bare);
  const rate = (elapsed: number[]) =>
    count === 1
      ? `${spread(elapsed)} ms`
      : `${spread(
          elapsed.map((ms) => (count * 1000) / ms),
          1,
        )} a second`;
  return [
    `W1 ${title}: ${spread(ratio, 2)}, ${goalResult(ratio, GOAL)}`,
    `W1 … ours ${rate(ours)}, bare ${rate(bare)}`,
    `W1 … / a bare workflow without local activities (${rate(withoutLocal)}): ${spread(ratios(ours, withoutLocal), 2)}`,
  ];
}

/** Inserts the rows that an upload creates, with credits reserved. */
async function createFiles(orm: Orm, principal: Principal, count: number): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for (let i = 0; i < count; i++) {
    const fileId = randomUUID();
    const outcome = await ingestFile(orm.em.fork(), principal, {
      fileId,
      objectKey: `bench/${fileId}`,
      sizeBytes: 1,
      sha256: '0'.repeat(64),
      mediaType: 'image',
      contentType: 'image/jpeg',
      format: 'jpeg',
      filename: 'bench.jpg',
      title: null,
      tags: [],
      contentCategory: 'general',
      options: { autoDescribe: true, skipDuplicates: false },
    });
    if ('created' in outcome) files.push(outcome.created);
  }
  return files;
}

/** Runs the workflow with the API's options, but on a separate queue. */
async function executeProcessFile(client: Client, file: StoredFile): Promise<void> {
  const { tenantId, mediaType, generation, components } = file;
  const input = { fileId: file.id, tenantId, mediaType, generation, components, priority: 'normal' as const };
  const { outcome }: ProcessFileResult = await client.workflow.execute('processFile', {
    ...workflowOptions(FILE_WORKFLOWS, input),
    taskQueue: FILE_WORKFLOWS_QUEUE,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
  });
  if (outcome !== 'completed') throw new Error(`processFile ended as ${outcome}`);
}

async function executeBare(client: Client, notes: boolean): Promise<void> {
  await client.workflow.execute(bareWorkflow, {
    workflowId: `bench/${randomUUID()}`,
    taskQueue: BARE_QUEUES.workflows,
    args: [notes],
  });
}
