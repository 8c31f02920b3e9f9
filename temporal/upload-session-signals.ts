import { WorkflowNotFoundError } from '@temporalio/client';
import type { Engine } from './client.ts';
import { SESSION_SIGNALS, type SessionFile } from './contract/batch-session.ts';
import { sessionWorkflowId } from './contract/ids.ts';
import { START_DEADLINE_MS } from './deadlines.ts';
import { ifReachable } from './if-reachable.ts';

/** Result of a signal: `gone` when no run of the workflow is open, `unreachable` when the engine did not answer. */
export type Signalled = 'sent' | 'gone' | 'unreachable';

/** The session to signal. */
export interface SignalledSession {
  id: string;
  tenantId: string;
}

/** The row of the session has changed. */
export function signalSessionChanged(engine: Engine, session: SignalledSession): Promise<Signalled> {
  return signal(engine, session, SESSION_SIGNALS.sessionChanged);
}

/** Files of the session were stored, or reopened for a retry. */
export function signalFilesStored(
  engine: Engine,
  session: SignalledSession,
  files: SessionFile[],
): Promise<Signalled> {
  return signal(engine, session, SESSION_SIGNALS.filesStored, files);
}

/** A file has ended by other means than the last step of its own workflow. */
export function signalFileSettled(
  engine: Engine,
  session: SignalledSession,
  fileId: string,
  generation: number,
): Promise<Signalled> {
  return signal(engine, session, SESSION_SIGNALS.fileSettled, fileId, generation);
}

async function signal(
  engine: Engine,
  { id, tenantId }: SignalledSession,
  name: string,
  ...args: unknown[]
): Promise<Signalled> {
  try {
    const sent = await ifReachable(engine, { tenant_id: tenantId, session_id: id }, async () => {
      await engine.within(START_DEADLINE_MS, (client) =>
        client.workflow.getHandle(sessionWorkflowId(id)).signal(name, ...args),
      );
      return 'sent' as const;
    });
    return sent ?? 'unreachable';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'gone';
    throw error;
  }
}
