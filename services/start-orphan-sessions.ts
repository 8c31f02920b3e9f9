import { UploadSession } from '../db/entities/upload-session.ts';
import { OPEN_SESSION_STATUSES } from '../domain/session.ts';
import { startSessionWork } from './start-session-work.ts';
import { beforeGrace } from './sweep.ts';
import type { SweepDeps } from './sweep.ts';
import { tellSessionChanged } from './tell-session.ts';

const BATCH = 200;

/**
 * Starts open sessions that the engine does not know, and tells those that may not have heard of their last change.
 *
 * @returns how many were brought to the engine
 */
export async function startOrphanSessions(deps: SweepDeps): Promise<number> {
  const before = beforeGrace(deps);
  const orphans = await deps.em.find(
    UploadSession,
    {
      workflowStartedAt: null,
      status: { $in: [...OPEN_SESSION_STATUSES] },
      $or: [{ createdAt: { $lt: before }, untoldSince: null }, { untoldSince: { $lt: before } }],
    },
    { orderBy: { createdAt: 'asc' }, limit: BATCH },
  );
  let started = 0;
  for (const session of orphans) if (await startSessionWork(deps, session)) started += 1;

  const untold = await deps.em.find(
    UploadSession,
    { untoldSince: { $lt: before } },
    { orderBy: { untoldSince: 'asc' }, limit: BATCH },
  );
  for (const session of untold) await tellSessionChanged(deps, session);
  return started;
}
