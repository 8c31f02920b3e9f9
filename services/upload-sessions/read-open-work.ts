import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { isOpenUploadSession } from '../../domain/upload-sessions/upload-session.ts';
import type { Engine } from '../../temporal/client.ts';
import { FILES_A_MESSAGE, type UploadSessionView } from '../../temporal/contract/upload-session.ts';
import { toUploadSessionFile } from '../processing/start-file-work.ts';
import { findUploadSession, type UploadSessionTarget } from './find-upload-session.ts';

/** The state of a session for its workflow, with one page of the files that have not ended. */
export async function readOpenWork(
  { em, engine }: { em: EntityManager; engine: Engine },
  target: UploadSessionTarget,
  after?: string,
): Promise<UploadSessionView> {
  const session = await findUploadSession(em, target);
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
    open: isOpenUploadSession(session.status),
    sealed: session.sealedBy !== null,
    paused: session.pausedAt !== null,
    files: page.map((file) => toUploadSessionFile(engine, file)),
    ...(files.length > FILES_A_MESSAGE && last && { next: last.id }),
  };
}
