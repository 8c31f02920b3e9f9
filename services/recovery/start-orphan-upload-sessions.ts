import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { OPEN_UPLOAD_SESSION_STATUSES } from '../../domain/upload-sessions/upload-session.ts';
import { startUploadSession } from '../upload-sessions/start-upload-session.ts';
import { beforeGrace, type SweepDeps } from './sweep.ts';
import { tellSessionChanged } from '../upload-sessions/tell-session.ts';

const BATCH = 200;

/**
 * Starts open sessions that the engine does not know, and tells those that may not have heard of their last change.
 *
 * @returns how many were brought to the engine
 */
export async function startOrphanUploadSessions(deps: SweepDeps): Promise<number> {
  const before = beforeGrace(deps);
  const orphans = await deps.em.find(
    UploadSession,
    {
      workflowStartedAt: null,
      status: { $in: [...OPEN_UPLOAD_SESSION_STATUSES] },
      $or: [{ createdAt: { $lt: before }, untoldSince: null }, { untoldSince: { $lt: before } }],
    },
    { orderBy: { createdAt: 'asc' }, limit: BATCH },
  );
  let started = 0;
  for (const session of orphans) if (await startUploadSession(deps, session)) started += 1;

  await noteUnannounced(deps.em, before);
  const untold = await deps.em.find(
    UploadSession,
    { untoldSince: { $lt: before } },
    { orderBy: { untoldSince: 'asc' }, limit: BATCH },
  );
  for (const session of untold) await tellSessionChanged(deps, session);
  return started;
}

/**
 * Marks sessions that still wait for files, and may not have heard of one: its API died, or the engine was down, right
 * after its row. What is merely waiting for its turn is told again as well, which changes nothing.
 */
async function noteUnannounced(em: EntityManager, before: Date): Promise<void> {
  await em.execute(
    `update upload_sessions as session set untold_since = ?
     where status in ('pending', 'uploading') and sealed_by is null and paused_at is null
       and untold_since is null and workflow_started_at is not null
       and exists (select from files where session_id = session.id and primary_status = 'pending'
                   and deleted_at is null and created_at < ?)`,
    [new Date(before.getTime() - 1), before],
  );
}
