import type { EntityManager } from '@mikro-orm/postgresql';
import { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { OPEN_DIRECT_UPLOAD_STATUSES } from '../../domain/uploads/direct-upload.ts';
import { unifiedStatus } from '../../domain/primary-status.ts';
import { EngineUnavailable } from '../../temporal/client.ts';
import { confirmStuck, quietSince, type StuckDeps } from '../processing/find-stuck-files.ts';
import { failureOf, readItems, type UploadSessionEntry } from './read-items.ts';

const ALL_ITEMS = 1000;
const MESSAGES = 10;
/** The API's default of `stuck_minutes`. */
const STUCK_AFTER_MS = 30 * 60_000;
/** Time limit of the search for stuck files; those found by then are counted. */
const STUCK_DEADLINE_MS = 3000;

export interface UploadSessionSummary {
  /** Each file counts in exactly one of these, so that they add up to `total`; the last two count some of them again. */
  counts: Record<
    | 'total'
    | 'uploading'
    | 'confirming'
    | 'queued'
    | 'processing'
    | 'completed'
    | 'failed'
    | 'partially_completed'
    | 'skipped'
    | 'cancelled'
    | 'stuck',
    number
  >;
  descriptions: Record<'pending' | 'processing' | 'completed' | 'failed' | 'skipped', number>;
  errors: { count: number; messages: string[] };
  lastActivityAt: Date;
}

/**
 * The statuses of a session's files, counted.
 *
 * @param patienceMs a file in progress without signs of life for this long is stuck
 */
export async function summarizeUploadSession(
  deps: StuckDeps,
  session: UploadSession,
  patienceMs = STUCK_AFTER_MS,
): Promise<UploadSessionSummary> {
  const { em } = deps;
  const items = await readItems(em, session.id, {
    where: 'true',
    orderBy: 'i.index',
    limit: ALL_ITEMS,
    offset: 0,
  });
  const counts = {
    total: items.length,
    uploading: 0,
    confirming: await countConfirming(em, session.id),
    queued: 0,
    processing: 0,
    completed: 0,
    failed: 0,
    partially_completed: 0,
    skipped: 0,
    cancelled: items.filter(({ cancelled }) => cancelled).length,
    stuck: await countStuck(deps, session.tenantId, items, patienceMs),
  };
  const descriptions = { pending: 0, processing: 0, completed: 0, failed: 0, skipped: 0 };
  for (const entry of items) {
    counts[placeOf(entry)] += 1;
    const status = entry.item.state === 'stored' && entry.file?.components.description?.status;
    if (status) descriptions[status === 'queued' ? 'pending' : status] += 1;
  }
  counts.uploading -= counts.confirming;
  const failures = items.flatMap((entry) => (entry.cancelled ? [] : (failureOf(entry)?.message ?? [])));
  const moments = items.map(({ item, file }) =>
    file && item.state === 'stored' ? file.updatedAt : item.createdAt,
  );
  return {
    counts,
    descriptions,
    errors: { count: failures.length, messages: [...new Set(failures)].slice(0, MESSAGES) },
    lastActivityAt: new Date(
      Math.max(...[session.createdAt, session.completedAt ?? session.createdAt, ...moments].map(Number)),
    ),
  };
}

/** Uploads of a presigned batch that are being verified; their items are still `uploading`. */
function countConfirming(em: EntityManager, sessionId: string): Promise<number> {
  return em.count(DirectUpload, {
    sessionId,
    status: { $in: [...OPEN_DIRECT_UPLOAD_STATUSES] },
    completeRequestedAt: { $ne: null },
  });
}

/** How far a file has come; of a cancelled session, how far it had come. */
function placeOf({ item, outcome, file }: UploadSessionEntry) {
  if (item.state === 'uploading') return 'uploading';
  if (outcome === 'failed' || outcome === 'skipped') return outcome;
  if (outcome === 'pending') {
    return file && unifiedStatus(file.components) === 'processing' ? 'processing' : 'queued';
  }
  return file?.primaryStatus === 'partially_completed' ? 'partially_completed' : 'completed';
}

/** Only rows not updated for that long are checked with the engine. */
async function countStuck(
  deps: StuckDeps,
  tenantId: string,
  items: UploadSessionEntry[],
  patienceMs: number,
): Promise<number> {
  const open = items.flatMap(({ outcome, file }) =>
    outcome === 'pending' && file?.workflowStartedAt ? [file] : [],
  );
  if (open.length === 0) return 0;
  const since = await quietSince(deps, patienceMs).catch((error: unknown) => {
    if (!(error instanceof EngineUnavailable)) throw error;
    return new Date(0);
  });
  const quiet = open.filter(({ updatedAt }) => updatedAt < since).map(({ id }) => id);
  if (quiet.length === 0) return 0;
  const timeUp = AbortSignal.timeout(STUCK_DEADLINE_MS);
  const { stuck } = await confirmStuck(deps, tenantId, quiet, { patienceMs, limit: ALL_ITEMS, timeUp });
  return stuck.length;
}
