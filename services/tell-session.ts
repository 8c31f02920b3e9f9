import type { EntityManager } from '@mikro-orm/postgresql';
import { WorkflowNotFoundError } from '@temporalio/client';
import { UploadSession } from '../db/entities/upload-session.ts';
import { EngineUnavailable } from '../temporal/client.ts';
import type { Engine } from '../temporal/client.ts';
import { SESSION_SIGNALS } from '../temporal/contract/batch-session.ts';
import type { SessionFile } from '../temporal/contract/batch-session.ts';
import { sessionWorkflowId } from '../temporal/contract/ids.ts';

const SIGNAL_DEADLINE_MS = 1000;

/**
 * Tells the workflow of a session that its row has changed, and notes that it was told. Without an answer of the
 * engine the note stays, and the sweep tells it again.
 */
export async function tellSessionChanged(
  { em, engine }: { em: EntityManager; engine: Engine },
  { id, untoldSince }: UploadSession,
): Promise<void> {
  if (!untoldSince || !(await signal(engine, id, SESSION_SIGNALS.sessionChanged))) return;
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

/** @returns false when the engine is out of reach; a workflow that has ended counts as told */
async function signal(engine: Engine, sessionId: string, name: string, ...args: unknown[]): Promise<boolean> {
  try {
    await engine.within(SIGNAL_DEADLINE_MS, (client) =>
      client.workflow.getHandle(sessionWorkflowId(sessionId)).signal(name, ...args),
    );
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    if (error instanceof EngineUnavailable) return false;
    throw error;
  }
}
