import type { EntityManager } from '@mikro-orm/postgresql';
import { UploadIntent } from '../db/entities/upload-intent.ts';
import type { UploadSession } from '../db/entities/upload-session.ts';
import { OPEN_INTENT_STATUSES } from '../domain/upload-intent.ts';
import { unifiedStatus } from '../domain/primary-status.ts';
import { EngineUnavailable } from '../temporal/client.ts';
import type { Engine } from '../temporal/client.ts';
import { describeRun } from '../temporal/describe-run.ts';
import { failureOf, readSessionItems } from './read-session-items.ts';
import type { SessionItem } from './read-session-items.ts';

const ALL_ITEMS = 1000;
const MESSAGES = 10;
/** A file without a sign of life for so long may be stuck; its run says whether it is. */
const STUCK_AFTER_MS = 30 * 60_000;
const DESCRIBE_DEADLINE_MS = 500;
/** A session with more files than this that old is in trouble whatever the exact number. */
const DESCRIBED_AT_MOST = 20;

export interface SessionSummary {
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

/** Where the files of a session stand, file by file. */
export async function summariseSession(
  { em, engine }: { em: EntityManager; engine: Engine },
  session: UploadSession,
): Promise<SessionSummary> {
  const items = await readSessionItems(em, session.id, {
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
    stuck: await countStuck(engine, items),
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
function placeOf({ item, outcome, file }: SessionItem) {
  if (item.state === 'uploading') return 'uploading';
  if (outcome === 'failed') return 'failed';
  if (outcome === 'skipped' || !file) return 'completed';
  if (outcome === 'pending') return unifiedStatus(file.components) === 'processing' ? 'processing' : 'queued';
  return file.primaryStatus === 'partially_completed' ? 'partially_completed' : 'completed';
}

/** Files at work whose run shows no sign of life; a heartbeat is one. */
async function countStuck(engine: Engine, items: SessionItem[]): Promise<number> {
  const before = Date.now() - STUCK_AFTER_MS;
  const quiet = items.flatMap(({ outcome, file }) =>
    outcome === 'pending' && file?.workflowStartedAt && file.updatedAt.getTime() < before ? [file.id] : [],
  );
  let stuck = 0;
  try {
    for (const fileId of quiet.slice(0, DESCRIBED_AT_MOST)) {
      const run = await describeRun(engine, fileId, DESCRIBE_DEADLINE_MS);
      const alive = run?.pending.some(({ lastHeartbeatAt }) => Number(lastHeartbeatAt ?? 0) >= before);
      if (!alive) stuck += 1;
    }
  } catch (error) {
    if (!(error instanceof EngineUnavailable)) throw error;
    return quiet.length;
  }
  return stuck + Math.max(0, quiet.length - DESCRIBED_AT_MOST);
}
