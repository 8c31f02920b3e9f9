import type { EntityManager } from '@mikro-orm/postgresql';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { countFiles, ITEM_OUTCOME, type CountedFiles } from './count-files.ts';
import { readItems, type UploadSessionEntry } from './read-items.ts';

/** How many recent completions and errors a record shows. */
const RECENT = 10;

/** A session with its counts and latest events. */
export interface UploadSessionRecord {
  session: UploadSession;
  counts: CountedFiles;
  recentCompletions: UploadSessionEntry[];
  recentErrors: UploadSessionEntry[];
}

/** The current record of a session. */
export async function readUploadSession(
  em: EntityManager,
  session: UploadSession,
): Promise<UploadSessionRecord> {
  const counts = await countFiles(em, session.id);
  const recent = (outcome: string) =>
    readItems(em, session.id, {
      where: `${ITEM_OUTCOME} ${outcome}`,
      orderBy: 'coalesce(f.updated_at, i.created_at) desc, i.index desc',
      limit: RECENT,
      offset: 0,
    });
  const recentCompletions =
    counts.completed + counts.skipped > 0 ? await recent(`in ('completed', 'skipped')`) : [];
  const recentErrors = counts.failed > 0 ? await recent(`= 'failed'`) : [];
  return { session, counts, recentCompletions, recentErrors };
}
