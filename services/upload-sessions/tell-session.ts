import type { EntityManager } from '@mikro-orm/postgresql';
import { WorkflowNotFoundError } from '@temporalio/client';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { EngineUnavailable, type Engine } from '../../temporal/client.ts';
import { SESSION_SIGNALS, type SessionFile } from '../../temporal/contract/batch-session.ts';
import { sessionWorkflowId } from '../../temporal/contract/ids.ts';
import { dismissFiles } from './dismiss-files.ts';

const SIGNAL_DEADLINE_MS = 1000;

/**
 * Tells the workflow of a session that its row has changed, and notes that it was told. Without an answer of the
 * engine the note stays, and the sweep tells it again. What a workflow that is gone would have stopped is stopped here.
 */
export async function tellSessionChanged(
  { em, engine }: { em: EntityManager; engine: Engine },
  session: UploadSession,
): Promise<void> {
  const { id, untoldSince, status } = session;
  if (!untoldSince) return;
  const told = await signal(engine, id, SESSION_SIGNALS.sessionChanged);
  if (told === 'unreachable') return;
  try {
    if (told === 'gone' && status === 'cancelled')
      await dismissFiles({ em, engine }, session, SIGNAL_DEADLINE_MS);
  } catch (error) {
    if (error instanceof EngineUnavailable) return;
    throw error;
  }
  await em.nativeUpdate(UploadSession, { id, untoldSince }, { untoldSince: null });
}

/** Offers files to the workflow early; it finds those of a lost message in the rows. */
export async function tellFilesStored(
  engine: Engine,
  sessionId: string,
  files: SessionFile[],
): Promise<void> {
  await signal(engine, sessionId, SESSION_SIGNALS.filesStored, files);
}

/** Tells that a file has ended otherwise than by its own workflow's last step. */
export async function tellFileSettled(engine: Engine, sessionId: string, fileId: string): Promise<void> {
  await signal(engine, sessionId, SESSION_SIGNALS.fileSettled, fileId);
}

/** @returns `gone` when no run of the workflow is open */
async function signal(
  engine: Engine,
  sessionId: string,
  name: string,
  ...args: unknown[]
): Promise<'told' | 'gone' | 'unreachable'> {
  try {
    await engine.within(SIGNAL_DEADLINE_MS, (client) =>
      client.workflow.getHandle(sessionWorkflowId(sessionId)).signal(name, ...args),
    );
    return 'told';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'gone';
    if (error instanceof EngineUnavailable) return 'unreachable';
    throw error;
  }
}
