import { WorkflowNotFoundError } from '@temporalio/client';
import type { Engine } from './client.ts';
import { UPLOAD_SESSION_SIGNALS, type UploadSessionFile } from './contract/upload-session.ts';
import { uploadSessionWorkflowId } from './contract/ids.ts';
import { START_DEADLINE_MS } from './deadlines.ts';
import { ifReachable } from './if-reachable.ts';

/** Result of a signal: `gone` when no run of the workflow is open, `unreachable` when the engine did not answer. */
export type Signalled = 'sent' | 'gone' | 'unreachable';

/** The session to signal. */
export interface SignalledUploadSession {
  id: string;
  tenantId: string;
}

/** The row of the session has changed. */
export function signalSessionChanged(engine: Engine, session: SignalledUploadSession): Promise<Signalled> {
  return signal(engine, session, UPLOAD_SESSION_SIGNALS.sessionChanged);
}

/** Files of the session were stored, or reopened for a retry. */
export function signalFilesStored(
  engine: Engine,
  session: SignalledUploadSession,
  files: UploadSessionFile[],
): Promise<Signalled> {
  return signal(engine, session, UPLOAD_SESSION_SIGNALS.filesStored, files);
}

/** A file has ended by other means than the last step of its workflow. */
export function signalFileSettled(
  engine: Engine,
  session: SignalledUploadSession,
  fileId: string,
  generation: number,
): Promise<Signalled> {
  return signal(engine, session, UPLOAD_SESSION_SIGNALS.fileSettled, fileId, generation);
}

async function signal(
  engine: Engine,
  { id, tenantId }: SignalledUploadSession,
  name: string,
  ...args: unknown[]
): Promise<Signalled> {
  try {
    const sent = await ifReachable(engine, { tenant_id: tenantId, session_id: id }, async () => {
      await engine.within(START_DEADLINE_MS, (client) =>
        client.workflow.getHandle(uploadSessionWorkflowId(id)).signal(name, ...args),
      );
      return 'sent' as const;
    });
    return sent ?? 'unreachable';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'gone';
    throw error;
  }
}
