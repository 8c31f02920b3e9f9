import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { EntityManager } from '@mikro-orm/postgresql';
import { TypedSearchAttributes } from '@temporalio/common';
import { setTimeout as delay } from 'node:timers/promises';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { fileWorkflowId } from '../../temporal/contract/ids.ts';
import {
  PROCESS_FILE,
  type ProcessFileInput,
  type ProcessFileMemo,
} from '../../temporal/contract/process-file.ts';
import { PRIORITIES, QUEUES, type PriorityName } from '../../temporal/contract/queues.ts';
import { SEARCH_ATTRIBUTES } from '../../temporal/contract/search-attributes.ts';
import { describeRun } from '../../temporal/status/describe-run.ts';

/** A start may delay an answer by this much; after that the sweep brings the work to the engine. */
const START_DEADLINE_MS = 1000;
const PREDECESSOR = { tries: 6, pauseMs: 150 };

/**
 * Brings the current generation of a file to the engine and notes in the row that it is there. Safe to repeat, from
 * any number of processes at once.
 *
 * @returns false when the engine is out of reach, or still busy with the generation before; the sweep tries again
 */
export async function startFileWork(
  { em, engine }: { em: EntityManager; engine: Engine },
  file: StoredFile,
  priority: PriorityName = 'normal',
): Promise<boolean> {
  try {
    const known =
      file.generation === 1
        ? await startFirst(engine, file, priority)
        : await startNext(engine, file, priority);
    if (!known) return false;
  } catch (error) {
    if (error instanceof EngineUnavailable) return false;
    throw error;
  }
  await em.nativeUpdate(
    StoredFile,
    { id: file.id, generation: file.generation },
    { workflowStartedAt: new Date() },
  );
  return true;
}

/** The id is refused once it was used, even by a run that has ended: whoever comes second finds it started. */
async function startFirst(engine: Engine, file: StoredFile, priority: PriorityName): Promise<boolean> {
  await start(engine, file, priority, {
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
  });
  return true;
}

/** A retry uses the id again, so it must be sure that the engine does not have this generation yet. */
async function startNext(engine: Engine, file: StoredFile, priority: PriorityName): Promise<boolean> {
  const newest = await describeRun(engine, file.id, START_DEADLINE_MS);
  if (newest && newest.generation >= file.generation) return true;
  // A run closes its row a moment before it closes itself; whoever retries at once need not wait for the sweep.
  for (let attempt = 1; ; attempt += 1) {
    const started = await start(engine, file, priority, {
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    });
    if (started || attempt === PREDECESSOR.tries) return started;
    await delay(PREDECESSOR.pauseMs);
  }
}

type IdPolicies = {
  workflowIdConflictPolicy: 'USE_EXISTING' | 'FAIL';
  workflowIdReusePolicy: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE';
};

async function start(
  engine: Engine,
  file: StoredFile,
  priority: PriorityName,
  policies: IdPolicies,
): Promise<boolean> {
  const input: ProcessFileInput = {
    fileId: file.id,
    tenantId: file.tenantId,
    mediaType: file.mediaType,
    generation: file.generation,
    components: file.components,
    priority,
    ...(file.sessionId && { sessionId: file.sessionId }),
  };
  const memo: ProcessFileMemo = { generation: file.generation, tenantId: file.tenantId };
  try {
    await engine.within(START_DEADLINE_MS, (client) =>
      client.workflow.start(PROCESS_FILE, {
        workflowId: fileWorkflowId(file.id),
        taskQueue: QUEUES.workflows,
        args: [input],
        ...policies,
        memo: { ...memo },
        priority: { priorityKey: PRIORITIES[priority], fairnessKey: file.tenantId },
        typedSearchAttributes: new TypedSearchAttributes([
          { key: SEARCH_ATTRIBUTES.tenantId, value: file.tenantId },
          { key: SEARCH_ATTRIBUTES.mediaType, value: file.mediaType },
          { key: SEARCH_ATTRIBUTES.unifiedStatus, value: 'queued' },
          ...(file.sessionId ? [{ key: SEARCH_ATTRIBUTES.sessionId, value: file.sessionId }] : []),
        ]),
        staticSummary: `${file.contentType}, ${file.sizeBytes} bytes, generation ${file.generation}`,
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
