import type { EntityManager } from '@mikro-orm/postgresql';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { describeUploadSessionRun } from '../../temporal/status/describe-upload-session-run.ts';
import { dismissFiles } from './dismiss-files.ts';
import { failUploadSession } from './fail-upload-session.ts';
import { startUploadSession } from './start-upload-session.ts';

/** A read may wait this long for the engine; then the row alone answers. */
const DESCRIBE_DEADLINE_MS = 500;

/**
 * Compares an open session with its run: one that the engine does not know is brought to it, one whose run ended
 * without closing it is failed. Ended sessions cost nothing.
 *
 * @returns whether the row has changed
 * @throws EngineUnavailable
 */
export async function reconcileUploadSession(
  deps: { em: EntityManager; engine: Engine },
  session: UploadSession,
  deadlineMs = DESCRIBE_DEADLINE_MS,
): Promise<boolean> {
  if (!isOpenUploadSession(session.status)) return false;
  const run = await describeUploadSessionRun(deps.engine, session.id, deadlineMs);
  if (!run || run.generation < session.generation) {
    await startUploadSession(deps, session);
    return false;
  }
  if (run.outcome === 'running') return false;
  // First, so that whoever dies between the two does both again.
  await dismissFiles(deps, session, deadlineMs);
  const target = { sessionId: session.id, tenantId: session.tenantId };
  const reason = { code: 'WORKFLOW_ENDED', message: `the workflow of the session is ${run.outcome}` };
  return failUploadSession(deps.em, target, run.generation, reason);
}

/** The same for a read, which the row can answer when the engine does not. */
export async function reconcileUploadSessionIfReachable(
  deps: { em: EntityManager; engine: Engine },
  session: UploadSession,
): Promise<void> {
  try {
    if (await reconcileUploadSession(deps, session)) await deps.em.refreshOrFail(session);
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
  }
}
