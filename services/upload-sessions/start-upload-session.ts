import type { EntityManager } from '@mikro-orm/postgresql';
import { WorkflowExecutionAlreadyStartedError, type WorkflowStartOptions } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { PENDING_WINDOW_SECONDS } from '../../domain/limits.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import {
  BATCH_SESSION,
  type BatchSessionInput,
  type BatchSessionMemo,
} from '../../temporal/contract/batch-session.ts';
import { sessionWorkflowId } from '../../temporal/contract/ids.ts';
import { PRIORITIES, QUEUES } from '../../temporal/contract/queues.ts';
import { SEARCH_ATTRIBUTES } from '../../temporal/contract/search-attributes.ts';
import { describeUploadSessionRun } from '../../temporal/status/describe-upload-session-run.ts';

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
export async function startUploadSession(
  { em, engine }: { em: EntityManager; engine: Engine },
  session: UploadSession,
): Promise<boolean> {
  try {
    const known =
      session.generation === 1 ? await startFirst(engine, session) : await startNext(engine, session);
    if (!known) return false;
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

/** The id is refused once it was used, even by a run that has ended: whoever comes second finds it started. */
async function startFirst(engine: Engine, session: UploadSession): Promise<boolean> {
  await start(engine, session, FIRST);
  return true;
}

/** A retry uses the id again, so it must be sure that the engine does not have this generation yet. */
async function startNext(engine: Engine, session: UploadSession): Promise<boolean> {
  const newest = await describeUploadSessionRun(engine, session.id, START_DEADLINE_MS);
  return (newest && newest.generation >= session.generation) || start(engine, session, NEXT);
}

async function start(engine: Engine, session: UploadSession, policies: IdPolicies): Promise<boolean> {
  const { id: sessionId, tenantId, generation } = session;
  const presigned = session.uploadMethod === 'presigned';
  const staleAfterMs = PENDING_WINDOW_SECONDS * 1000;
  const input: BatchSessionInput = { sessionId, tenantId, generation, ...(presigned && { staleAfterMs }) };
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
