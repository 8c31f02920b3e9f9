import type { EntityManager } from '@mikro-orm/postgresql';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { countSession, ITEM_OUTCOME } from './count-files.ts';
import type { CountedSession } from './count-files.ts';
import { findSession } from './find-upload-session.ts';
import type { SessionTarget } from './find-upload-session.ts';
import { readSessionItems } from './read-items.ts';
import type { SessionItem } from './read-items.ts';

export interface ResultsQuery {
  include_failed: boolean;
  limit: number;
  offset: number;
}

/** One page of the files of a session that have ended. */
export interface SessionResults {
  session: UploadSession;
  items: SessionItem[];
  /** The thumbnails of these files. */
  variants: FileVariant[];
  counts: CountedSession;
  totalCount: number;
  query: ResultsQuery;
}

/** @throws Refusal NOT_FOUND */
export async function readSessionResults(
  em: EntityManager,
  target: SessionTarget,
  query: ResultsQuery,
): Promise<SessionResults> {
  const { include_failed: includeFailed, limit, offset } = query;
  const session = await findSession(em, target);
  const counts = await countSession(em, session.id);
  const wanted = includeFailed ? `<> 'pending'` : `in ('completed', 'skipped')`;
  const items = await readSessionItems(em, session.id, {
    where: `${ITEM_OUTCOME} ${wanted}`,
    orderBy: 'i.index',
    limit,
    offset,
  });
  const files = items.flatMap(({ file }) => (file ? [file.id] : []));
  const variants = await em.find(FileVariant, { fileId: { $in: files }, type: 'small_256' });
  const totalCount = counts.completed + counts.skipped + (includeFailed ? counts.failed : 0);
  return { session, items, variants, counts, totalCount, query };
}
