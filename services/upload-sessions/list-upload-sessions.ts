import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import type { SessionStatus, UploadMethod } from '../../domain/upload-sessions/upload-session.ts';
import { countSessionFiles } from './count-files.ts';
import type { CountedSession } from './count-files.ts';

export interface SessionListQuery {
  status?: SessionStatus | undefined;
  uploadMethod?: UploadMethod | undefined;
  limit: number;
  offset: number;
}

/** One page of a tenant's sessions, the newest first, with their counts, and how many there are. */
export async function listSessions(
  em: EntityManager,
  tenantId: string,
  { status, uploadMethod, limit, offset }: SessionListQuery,
): Promise<{ sessions: { session: UploadSession; counts: CountedSession }[]; totalCount: number }> {
  const where = { tenantId, ...(status && { status }), ...(uploadMethod && { uploadMethod }) };
  const [page, totalCount] = await em.findAndCount(UploadSession, where, {
    limit,
    offset,
    orderBy: { createdAt: 'desc', id: 'desc' },
  });
  const counted = await countSessionFiles(
    em,
    page.map(({ id }) => id),
  );
  const sessions = page.flatMap((session) => {
    const counts = counted.get(session.id);
    return counts ? [{ session, counts }] : [];
  });
  return { sessions, totalCount };
}
