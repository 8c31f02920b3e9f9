import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import {
  countFiles,
  countFilesOfEach,
  ITEM_CANCELLED,
  ITEM_OUTCOME,
  type CountedFiles,
} from './count-files.ts';
import { readItems, type UploadSessionEntry } from './read-items.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { openFilesOf } from '../files/open-files-of-session.ts';
import { acknowledge } from '../shared/due.ts';
import { findUploadSession, type UploadSessionTarget } from './find-upload-session.ts';
import {
  isOpenUploadSession,
  type UploadSessionStatus,
  type UploadMethod,
} from '../../domain/upload-sessions/upload-session.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { Engine } from '../../temporal/client.ts';
import { FILES_A_MESSAGE, type UploadSessionView } from '../../temporal/contract/upload-session.ts';
import { toUploadSessionFile } from '../processing/start-file-work.ts';

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
  const recent = (where: string) =>
    readItems(em, session.id, {
      where,
      orderBy: 'coalesce(f.updated_at, i.created_at) desc, i.index desc',
      limit: RECENT,
      offset: 0,
    });
  const recentCompletions =
    counts.completed + counts.skipped > 0 ? await recent(`${ITEM_OUTCOME} in ('completed', 'skipped')`) : [];
  const recentErrors =
    counts.failed > 0 ? await recent(`${ITEM_OUTCOME} = 'failed' and not ${ITEM_CANCELLED}`) : [];
  return { session, counts, recentCompletions, recentErrors };
}

interface ResultsQuery {
  include_failed: boolean;
  limit: number;
  offset: number;
}

/** One page of the files of a session that have ended, or will not begin because it was cancelled. */
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
  const items = await readItems(em, session.id, {
    where: includeFailed
      ? `${ITEM_OUTCOME} <> 'pending' or ${ITEM_CANCELLED}`
      : `${ITEM_OUTCOME} in ('completed', 'skipped')`,
    orderBy: 'i.index',
    limit,
    offset,
  });
  const files = items.flatMap(({ file }) => (file ? [file.id] : []));
  const variants = await em.find(FileVariant, { fileId: { $in: files }, type: 'small_256' });
  const unbegun = session.status === 'cancelled' ? counts.pending - counts.inFlight : 0;
  const totalCount = counts.completed + counts.skipped + (includeFailed ? counts.failed + unbegun : 0);
  return { session, items, variants, counts, totalCount, query };
}

interface UploadSessionListQuery {
  status?: UploadSessionStatus | undefined;
  uploadMethod?: UploadMethod | undefined;
  limit: number;
  offset: number;
}

/** A session with what people recognise it by. */
interface ListedSession {
  session: UploadSession;
  counts: CountedFiles;
  /** Name of its first file; null before one has begun to arrive. */
  firstFilename: string | null;
  /** Name of the user or of the API key that began it; null where that is not known, or no longer. */
  startedBy: string | null;
}

/** Reads the names of sessions in one statement. */
async function readNames(em: EntityManager, sessions: readonly UploadSession[]) {
  const ids = sessions.map(({ id }) => id);
  const rows =
    ids.length === 0
      ? []
      : await em.execute<{ id: string; first: string | null; person: string | null }[]>(
          `select s.id, coalesce(users.name, api_keys.name) as person,
             (select filename from upload_session_items i where i.session_id = s.id order by index limit 1) as first
           from upload_sessions s
           left join users on users.id = s.user_id
           left join api_keys on api_keys.id = s.api_key_id and api_keys.tenant_id = s.tenant_id
           where s.id in (${ids.map(() => '?').join(', ')})`,
          ids,
        );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ({ id }: UploadSession) => {
    const row = byId.get(id);
    return { firstFilename: row?.first ?? null, startedBy: row?.person ?? null };
  };
}

/** One page of a tenant's sessions with their counts, newest first, and the total count. */
export async function listUploadSessions(
  em: EntityManager,
  tenantId: string,
  { status, uploadMethod, limit, offset }: UploadSessionListQuery,
): Promise<{ sessions: ListedSession[]; totalCount: number }> {
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
  const names = await readNames(em, page);
  const sessions = page.flatMap((session) => {
    const counts = counted.get(session.id);
    return counts ? [{ session, counts, ...names(session) }] : [];
  });
  return { sessions, totalCount };
}

/**
 * The state of a session for its workflow, with one page of the files that have not ended. The first page acknowledges
 * the row.
 */
export async function readOpenWork(
  { em, engine }: { em: EntityManager; engine: Engine },
  target: UploadSessionTarget,
  after?: string,
): Promise<UploadSessionView> {
  const session = await findUploadSession(em, target);
  const files = await em.find(
    StoredFile,
    {
      ...openFilesOf(session),
      ...(after !== undefined && { id: { $gt: after } }),
    },
    { orderBy: { id: 'asc' }, limit: FILES_A_MESSAGE + 1 },
  );
  if (after === undefined) await acknowledge(em, UploadSession, session);
  const page = files.slice(0, FILES_A_MESSAGE);
  const last = page.at(-1);
  return {
    open: isOpenUploadSession(session.status),
    cancelled: session.status === 'cancelled',
    sealed: session.sealedBy !== null,
    paused: session.pausedAt !== null,
    files: page.map((file) => toUploadSessionFile(engine, file)),
    ...(files.length > FILES_A_MESSAGE && last && { next: last.id }),
  };
}
