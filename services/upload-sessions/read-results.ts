import type { EntityManager } from '@mikro-orm/postgresql';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { countFiles, ITEM_OUTCOME, type CountedFiles } from './count-files.ts';
import { findUploadSession, type UploadSessionTarget } from './find-upload-session.ts';
import { readItems, type UploadSessionEntry } from './read-items.ts';

export interface ResultsQuery {
  include_failed: boolean;
  limit: number;
  offset: number;
}

/** One page of the ended files of a session. */
export interface UploadSessionResults {
  session: UploadSession;
  items: UploadSessionEntry[];
  /** The thumbnails of these files. */
  variants: FileVariant[];
  counts: CountedFiles;
  totalCount: number;
  query: ResultsQuery;
}

/** @throws AppError NOT_FOUND */
export async function readResults(
  em: EntityManager,
  target: UploadSessionTarget,
  query: ResultsQuery,
): Promise<UploadSessionResults> {
  const { include_failed: includeFailed, limit, offset } = query;
  const session = await findUploadSession(em, target);
  const counts = await countFiles(em, session.id);
  const wanted = includeFailed ? `<> 'pending'` : `in ('completed', 'skipped')`;
  const items = await readItems(em, session.id, {
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
