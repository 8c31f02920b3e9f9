import type { EntityManager } from '@mikro-orm/postgresql';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { WorkflowStartOptions } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { UploadSession } from '../db/entities/upload-session.ts';
import { EngineUnavailable } from '../temporal/client.ts';
import type { Engine } from '../temporal/client.ts';
import { BATCH_SESSION } from '../temporal/contract/batch-session.ts';
import type { BatchSessionInput, BatchSessionMemo } from '../temporal/contract/batch-session.ts';
import { sessionWorkflowId } from '../temporal/contract/ids.ts';
import { PRIORITIES, QUEUES } from '../temporal/contract/queues.ts';
import { SEARCH_ATTRIBUTES } from '../temporal/contract/search-attributes.ts';

/** A start may delay an answer by this much; after that the sweep brings the session to the engine. */
const START_DEADLINE_MS = 1000;

type IdPolicies = Pick<WorkflowStartOptions, 'workflowIdConflictPolicy' | 'workflowIdReusePolicy'>;
const FIRST: IdPolicies = {
  workflowIdConflictPolicy: 'USE_EXISTING',
  workflowIdReusePolicy: 'REJECT_DUPLICATE',
};
const NEXT: IdPolicies = { workflowIdConflictPolicy: 'FAIL', workflowIdReusePolicy: 'ALLOW_DUPLICATE' };

/**
 * Brings the current generation of a session to the engine and notes in the row that it is there. Safe to repeat.
 *
 * @returns false when the engine is out of reach, or still busy with the generation before; the sweep tries again
 */
export async function startSessionWork(
  { em, engine }: { em: EntityManager; engine: Engine },
  session: UploadSession,
): Promise<boolean> {
  try {
    const known = session.generation > 1 && (await newestGeneration(engine, session.id));
    if (known === false || known < session.generation) {
      const started = await start(engine, session, session.generation === 1 ? FIRST : NEXT);
      if (!started && session.generation > 1) return false;
    }
  } catch (error) {
    if (error instanceof EngineUnavailable) return false;
    throw error;
  }
  await em.nativeUpdate(
    UploadSession,
    { id: session.id, generation: session.generation },
    { workflowStartedAt: new Date() },
  );
  return true;
}

/** 0 when the engine does not know the session. */
async function newestGeneration(engine: Engine, sessionId: string): Promise<number> {
  try {
    const { memo } = await engine.within(START_DEADLINE_MS, (client) =>
      client.workflow.getHandle(sessionWorkflowId(sessionId)).describe(),
    );
    return (memo as Partial<BatchSessionMemo> | undefined)?.generation ?? 1;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 0;
    throw error;
  }
}

async function start(engine: Engine, session: UploadSession, policies: IdPolicies): Promise<boolean> {
  const { id: sessionId, tenantId, generation } = session;
  const input: BatchSessionInput = { sessionId, tenantId, generation };
  const memo: BatchSessionMemo = { generation, tenantId };
  try {
    await engine.within(START_DEADLINE_MS, (client) =>
      client.workflow.start(BATCH_SESSION, {
        workflowId: sessionWorkflowId(sessionId),
        taskQueue: QUEUES.workflows,
        args: [input],
        ...policies,
        memo: { ...memo },
        priority: { priorityKey: PRIORITIES.normal, fairnessKey: tenantId },
        typedSearchAttributes: new TypedSearchAttributes([
          { key: SEARCH_ATTRIBUTES.tenantId, value: tenantId },
          { key: SEARCH_ATTRIBUTES.sessionId, value: sessionId },
        ]),
        staticSummary: `Upload session, generation ${generation}`,
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
