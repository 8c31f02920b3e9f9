import { WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import type { Engine } from './client.ts';
import {
  UPLOAD_SESSION_SIGNALS,
  UPLOAD_SESSION_WORKFLOWS,
  type UploadSessionFile,
} from './contract/upload-session.ts';
import { START_DEADLINE_MS } from './deadlines.ts';
import { ifReachable } from './if-reachable.ts';

/** The session to signal. */
export interface SignalledUploadSession {
  id: string;
  tenantId: string;
}

/*
 * Each returns whether the engine took the signal. That is no proof that the workflow has it, nor the opposite: what it
 * says is also in rows, which stay due until they have been read.
 */

/** The row of the session has changed. */
export function signalSessionChanged(engine: Engine, session: SignalledUploadSession): Promise<boolean> {
  return signal(engine, session, UPLOAD_SESSION_SIGNALS.sessionChanged);
}

/** Files of the session were stored, or reopened for a retry. */
export function signalFilesStored(
  engine: Engine,
  session: SignalledUploadSession,
  files: UploadSessionFile[],
): Promise<boolean> {
  return signal(engine, session, UPLOAD_SESSION_SIGNALS.filesStored, files);
}

/** A file has ended by other means than the last step of its workflow. */
export function signalFileSettled(
  engine: Engine,
  session: SignalledUploadSession,
  fileId: string,
  generation: number,
): Promise<boolean> {
  return signal(engine, session, UPLOAD_SESSION_SIGNALS.fileSettled, fileId, generation);
}

/** The session was cancelled in its row, so that its run ends as cancelled as well. */
export function requestSessionCancel(engine: Engine, session: SignalledUploadSession): Promise<boolean> {
  return tell(engine, session, (handle) => handle.cancel());
}

function signal(
  engine: Engine,
  session: SignalledUploadSession,
  name: string,
  ...args: unknown[]
): Promise<boolean> {
  return tell(engine, session, (handle) => handle.signal(name, ...args));
}

async function tell(
  engine: Engine,
  { id, tenantId }: SignalledUploadSession,
  say: (handle: WorkflowHandle) => Promise<unknown>,
): Promise<boolean> {
  try {
    const sent = await ifReachable(engine, { tenant_id: tenantId, session_id: id }, async () => {
      await engine.within(START_DEADLINE_MS, (client) =>
        say(client.workflow.getHandle(UPLOAD_SESSION_WORKFLOWS.of(id))),
      );
      return true;
    });
    return sent ?? false;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
