import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { OPEN_UPLOAD_SESSION_STATUSES } from '../../domain/upload-sessions/upload-session.ts';
import type { Engine } from '../../temporal/client.ts';
import { reconcileUploadSession } from '../upload-sessions/reconcile-upload-session.ts';
import { outage } from '../shared/outage.ts';

/** A session that was brought to the engine since is in good hands. */
const QUIET_MS = 10 * 60_000;
const PAGE = 200;
const DESCRIBE_DEADLINE_MS = 2000;

/**
 * Looks for sessions that their rows call open and whose workflow was deleted, was lost with its engine, or has ended
 * without closing them. Brings them to the engine again, where the clock that expires them begins anew, or fails them.
 *
 * @returns how many were looked at
 * @throws AggregateError of those that could not be mended, once all were tried
 */
export async function recoverLostUploadSessions(
  { em, engine, onProgress }: { em: EntityManager; engine: Engine; onProgress: (checked: number) => void },
  now = new Date(),
): Promise<number> {
  const failures: unknown[] = [];
  let checked = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const sessions = await em.fork().find(
      UploadSession,
      {
        id: { $gt: after },
        status: { $in: [...OPEN_UPLOAD_SESSION_STATUSES] },
        workflowStartedAt: { $lt: new Date(now.getTime() - QUIET_MS) },
      },
      { orderBy: { id: 'asc' }, limit: PAGE },
    );
    for (const session of sessions) {
      try {
        await reconcileUploadSession({ em: em.fork(), engine }, session, DESCRIBE_DEADLINE_MS);
      } catch (error) {
        if (outage(error)) throw error;
        failures.push(new Error(`session ${session.id} could not be recovered`, { cause: error }));
      }
    }
    checked += sessions.length;
    onProgress(checked);
    const last = sessions.at(-1);
    if (!last || sessions.length < PAGE) break;
    after = last.id;
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, `${failures.length} sessions could not be recovered`);
  }
  return checked;
}
