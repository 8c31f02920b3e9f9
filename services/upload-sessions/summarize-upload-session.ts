import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import type { UploadSession } from '../../db/entities/upload-sessions/upload-session.ts';
import { OPEN_INTENT_STATUSES } from '../../domain/uploads/upload-intent.ts';
import { unifiedStatus } from '../../domain/primary-status.ts';
import type { Engine } from '../../temporal/client.ts';
import { confirmStuck } from '../processing/find-stuck-files.ts';
import { failureOf, readItems, type UploadSessionEntry } from './read-items.ts';

const ALL_ITEMS = 1000;
const MESSAGES = 10;
/** As where a client does not say otherwise, see `stuck_minutes`. */
const STUCK_AFTER_MS = 30 * 60_000;
/** What is found by then is counted. */
const STUCK_DEADLINE_MS = 3000;

export interface UploadSessionSummary {
  /** One of the first seven for each file, so that they add up to `total`; `stuck` counts some of them again. */
  counts: Record<
    | 'total'
    | 'uploading'
    | 'confirming'
    | 'queued'
    | 'processing'
    | 'completed'
    | 'failed'
    | 'partially_completed'
    | 'stuck',
    number
  >;
  descriptions: Record<'pending' | 'processing' | 'completed' | 'failed' | 'skipped', number>;
  errors: { count: number; messages: string[] };
  lastActivityAt: Date;
}

/**
 * Where the files of a session stand, file by file.
 *
 * @param patienceMs without a sign of life for so long, a file at work is stuck
 */
export async function summarizeUploadSession(
  { em, engine }: { em: EntityManager; engine: Engine },
  session: UploadSession,
  patienceMs = STUCK_AFTER_MS,
): Promise<UploadSessionSummary> {
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
    stuck: await countStuck({ em, engine }, session.tenantId, items, patienceMs),
  };
  const descriptions = { pending: 0, processing: 0, completed: 0, failed: 0, skipped: 0 };
  for (const entry of items) {
    counts[placeOf(entry)] += 1;
    const status = entry.item.state === 'stored' && entry.file?.components.description?.status;
    if (status) descriptions[status === 'queued' ? 'pending' : status] += 1;
  }
  counts.uploading -= counts.confirming;
  const failures = items.flatMap((entry) => failureOf(entry)?.message ?? []);
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

/** Uploads of a presigned batch whose verification the client waits for; as items they are still on their way. */
function countConfirming(em: EntityManager, sessionId: string): Promise<number> {
  return em.count(UploadIntent, {
    sessionId,
    status: { $in: [...OPEN_INTENT_STATUSES] },
    completeRequestedAt: { $ne: null },
  });
}

/** Skipped files count as completed: what the client wanted stored is there. */
function placeOf({ item, outcome, file }: UploadSessionEntry) {
  if (item.state === 'uploading') return 'uploading';
  if (outcome === 'failed') return 'failed';
  if (outcome === 'skipped') return 'completed';
  if (outcome === 'pending') {
    return file && unifiedStatus(file.components) === 'processing' ? 'processing' : 'queued';
  }
  return file?.primaryStatus === 'partially_completed' ? 'partially_completed' : 'completed';
}

/** Only rows that nobody has written for so long are worth a question. */
async function countStuck(
  deps: { em: EntityManager; engine: Engine },
  tenantId: string,
  items: UploadSessionEntry[],
  patienceMs: number,
): Promise<number> {
  const before = Date.now() - patienceMs;
  const quiet = items.flatMap(({ outcome, file }) =>
    outcome === 'pending' && file?.workflowStartedAt && file.updatedAt.getTime() < before ? [file.id] : [],
  );
  if (quiet.length === 0) return 0;
  const timeUp = AbortSignal.timeout(STUCK_DEADLINE_MS);
  const { stuck } = await confirmStuck(deps, tenantId, quiet, { patienceMs, limit: ALL_ITEMS, timeUp });
  return stuck.length;
}
