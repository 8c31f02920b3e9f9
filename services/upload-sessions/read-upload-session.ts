import type { EntityManager } from '@mikro-orm/postgresql';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { countSession, ITEM_OUTCOME } from './count-files.ts';
import type { CountedSession } from './count-files.ts';
import { readSessionItems } from './read-items.ts';
import type { SessionItem } from './read-items.ts';

/** How many of the last ends and errors a record shows. */
const RECENT = 10;

/** A session with its counts and the last that happened in it. */
export interface SessionRecord {
  session: UploadSession;
  counts: CountedSession;
  recentCompletions: SessionItem[];
  recentErrors: SessionItem[];
}

/** The record of a session as it stands now. */
export async function readSession(em: EntityManager, session: UploadSession): Promise<SessionRecord> {
  const counts = await countSession(em, session.id);
  const recent = (outcome: string) =>
    readSessionItems(em, session.id, {
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
