import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isOpenSession } from '../../domain/upload-sessions/upload-session.ts';
import { FILES_A_MESSAGE } from '../../temporal/contract/batch-session.ts';
import type { SessionFile, SessionView } from '../../temporal/contract/batch-session.ts';
import { findSession } from './find-upload-session.ts';
import type { SessionTarget } from './find-upload-session.ts';

/** The row of a session as its workflow needs it, with one page of the files that have not ended. */
export async function readSessionWork(
  em: EntityManager,
  target: SessionTarget,
  after?: string,
): Promise<SessionView> {
  const session = await findSession(em, target);
  const files = await em.find(
    StoredFile,
    {
      sessionId: session.id,
      tenantId: session.tenantId,
      deletedAt: null,
      primaryStatus: { $in: ['pending', 'processing'] },
      ...(after !== undefined && { id: { $gt: after } }),
    },
    { orderBy: { id: 'asc' }, limit: FILES_A_MESSAGE + 1 },
  );
  const page = files.slice(0, FILES_A_MESSAGE);
  const last = page.at(-1);
  return {
    open: isOpenSession(session.status),
    sealed: session.sealedBy !== null,
    paused: session.pausedAt !== null,
    files: page.map(toSessionFile),
    ...(files.length > FILES_A_MESSAGE && last && { next: last.id }),
  };
}

/** A file as the workflow of its session starts it. */
export function toSessionFile(file: StoredFile): SessionFile {
  const { id, mediaType, generation, components, workflowStartedAt } = file;
  return { fileId: id, mediaType, generation, components, ...(workflowStartedAt && { started: true }) };
}
