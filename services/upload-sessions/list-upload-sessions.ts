import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import type { UploadSessionStatus, UploadMethod } from '../../domain/upload-sessions/upload-session.ts';
import { countFilesOfEach, type CountedFiles } from './count-files.ts';

export interface UploadSessionListQuery {
  status?: UploadSessionStatus | undefined;
  uploadMethod?: UploadMethod | undefined;
  limit: number;
  offset: number;
}

/** One page of a tenant's sessions with their counts, newest first, and the total count. */
export async function listUploadSessions(
  em: EntityManager,
  tenantId: string,
  { status, uploadMethod, limit, offset }: UploadSessionListQuery,
): Promise<{ sessions: { session: UploadSession; counts: CountedFiles }[]; totalCount: number }> {
  const where = { tenantId, ...(status && { status }), ...(uploadMethod && { uploadMethod }) };
  const [page, totalCount] = await em.findAndCount(UploadSession, where, {
    limit,
    offset,
    orderBy: { createdAt: 'desc', id: 'desc' },
  });
  const counted = await countFilesOfEach(
    em,
    page.map(({ id }) => id),
  );
  const sessions = page.flatMap((session) => {
    const counts = counted.get(session.id);
    return counts ? [{ session, counts }] : [];
  });
  return { sessions, totalCount };
}
