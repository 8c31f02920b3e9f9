import type { EntityManager } from '@mikro-orm/postgresql';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import { ReprocessedFile } from '../../db/entities/reprocessing/reprocessed-file.ts';
import { Reprocessing } from '../../db/entities/reprocessing/reprocessing.ts';
import { AppError } from '../../domain/app-error.ts';
import type { ComponentName, FailureReason } from '../../domain/components.ts';
import { componentsToReprocess, isReprocessingOpen } from '../../domain/reprocessing.ts';
import type { Engine } from '../../temporal/client.ts';
import {
  REPROCESSED_AT_ONCE,
  type ReprocessingRound,
  type ReprocessingTarget,
} from '../../temporal/contract/reprocess-files.ts';
import { lockFile } from '../files/find-file.ts';
import { retryFile } from '../processing/retry-file.ts';
import { startFileWork } from '../processing/start-file-work.ts';
import { acknowledge } from '../shared/due.ts';
import { endAs, failReprocessing } from './change-reprocessing.ts';
import { explainReprocessing } from './explain-reprocessing.ts';
import { lockReprocessing } from './find-reprocessing.ts';
import { readSelected } from './selected-files.ts';
import { settleFiles } from './settle-files.ts';

/** Within the time limit of the activity, with the files of the page. */
const SEARCH_MS = 10_000;
const PAGE_MS = 10_000;
/** Files that begin at a time, of those of a minute: enough for a steady rate. */
const SHARE_OF_MINUTE = 1 / 12;

interface Deps {
  em: EntityManager;
  engine: Engine;
}
type Candidate = Awaited<ReturnType<typeof readSelected>>[number];

/**
 * One round of a reprocessing: records the files that have ended, opens the next ones, and ends it when none is left.
 * Safe to repeat and to run twice at once: a file is opened in the transaction that writes its row, so once.
 *
 * @throws AppError NOT_FOUND when the reprocessing is gone
 */
export async function advanceReprocessing(
  deps: Deps,
  target: ReprocessingTarget,
): Promise<ReprocessingRound> {
  const { em } = deps;
  const { reprocessingId: id, tenantId } = target;
  let processing = await settleFiles(em, id);
  const row = await em.findOne(Reprocessing, { id, tenantId }, { refresh: true });
  if (!row) throw new AppError('NOT_FOUND', 'the record of this reprocessing is gone');
  await acknowledge(em, Reprocessing, row);
  let [opened, seen] = [0, 0];
  const { filesPerMinute } = row;
  const most = filesPerMinute == null ? REPROCESSED_AT_ONCE : Math.ceil(filesPerMinute * SHARE_OF_MINUTE);
  const room = Math.min(REPROCESSED_AT_ONCE - processing, most);
  if (row.status === 'processing' && room > 0) {
    ({ opened, seen } = await openNext(deps, row, room));
    processing += opened;
  }
  if (processing === 0) await completeReprocessing(em, target);
  await em.refreshOrFail(row);
  return {
    state: isReprocessingOpen(row.status) ? (row.status as 'processing' | 'paused') : 'ended',
    opened,
    seen,
    processing,
    filesPerMinute: filesPerMinute ?? null,
    details: explainReprocessing({ row, processing }),
  };
}

async function openNext(
  deps: Deps,
  row: Reprocessing,
  limit: number,
): Promise<{ opened: number; seen: number }> {
  const { em } = deps;
  const target = { reprocessingId: row.id, tenantId: row.tenantId };
  if (row.exhausted) return { opened: 0, seen: 0 };
  let page: Candidate[];
  try {
    page = await readSelected(em, row, { after: row.cursor, limit, timeoutMs: SEARCH_MS });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message } = error;
    if (code === 'SEARCH_TIMEOUT') await pauseFor(em, target, { code, message });
    // Its folder or project was deleted.
    else await failReprocessing(em, target, { code, message });
    return { opened: 0, seen: 0 };
  }
  const until = performance.now() + PAGE_MS;
  let [opened, seen] = [0, 0];
  for (const candidate of page) {
    if (performance.now() > until) return { opened, seen };
    const outcome = await openOrSkip(deps, target, candidate);
    if (outcome === 'stopped') return { opened, seen };
    seen += 1;
    if (outcome === 'opened') opened += 1;
  }
  if (page.length < limit) await em.nativeUpdate(Reprocessing, { id: row.id }, { exhausted: true });
  return { opened, seen };
}

/** Opens the next generation of a file, or records why not. A shortage of credits pauses the reprocessing. */
async function openOrSkip(
  { em, engine }: Deps,
  target: ReprocessingTarget,
  candidate: Candidate,
): Promise<'opened' | 'skipped' | 'stopped'> {
  const own = em.fork();
  try {
    const file = await own.transactional((tx) => openFile(tx, target, candidate));
    if (typeof file === 'string') return file;
    // If the engine is unreachable, the sweep starts it.
    await startFileWork({ em: own, engine }, file, 'bulk');
    return 'opened';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message } = error;
    if (code === 'QUOTA_EXHAUSTED' || code === 'TENANT_DISABLED') {
      await pauseFor(em, target, { code, message });
      return 'stopped';
    }
    return em.fork().transactional(async (tx) => {
      const row = await lockReprocessing(tx, target);
      if (row.status !== 'processing') return 'stopped';
      if (await claim(tx, row, candidate, { code, message })) row.skippedCount += 1;
      return 'skipped';
    });
  }
}

/** @throws AppError of the retry, and NOTHING_TO_RETRY for a file without such a component */
async function openFile(
  tx: EntityManager,
  target: ReprocessingTarget,
  candidate: Candidate,
): Promise<StoredFile | 'skipped' | 'stopped'> {
  const row = await lockReprocessing(tx, target);
  if (row.status !== 'processing') return 'stopped';
  const file = await lockFile(tx, target.tenantId, candidate.fileId);
  if (!file || file.deletedAt) {
    row.cursor = candidate.place;
    return 'skipped';
  }
  const components = wantedOf(file, row);
  if (!(await claim(tx, row, candidate))) return 'skipped';
  if (components.length === 0)
    throw new AppError(
      'NOTHING_TO_RETRY',
      'a file of this type has no such part, or nothing of it is missing',
    );
  if (row.schemaId && components.includes('extraction')) {
    file.options = { ...file.options, customSchemaId: row.schemaId };
    await tx.flush();
  }
  const { tier, isActive } = await tx.findOneOrFail(Tenant, target.tenantId);
  if (!isActive) throw new AppError('TENANT_DISABLED', 'the account is disabled');
  const { apiKeyId: keyId } = row;
  const principal = {
    tenantId: target.tenantId,
    tier,
    ...(keyId && { credential: { kind: 'api_key' as const, keyId, scopes: null } }),
  };
  const toRedo = { components, ...(!row.parts.includes('text') && { pages: 'failed' as const }) };
  const { file: reopened, retried } = await retryFile(tx, principal, file, toRedo);
  await tx.nativeUpdate(
    ReprocessedFile,
    { reprocessingId: row.id, fileId: file.id },
    {
      components: retried,
      ...(!retried.includes('description') && {
        descriptionBefore: null,
        describedAtBefore: null,
        tagsBefore: null,
      }),
    },
  );
  return reopened;
}

/** With `pages` alone, the text of a document without unreadable pages stays. */
function wantedOf({ mediaType, components }: StoredFile, { parts }: Reprocessing): ComponentName[] {
  const { status, error } = components.text_extraction ?? {};
  const readable = status === 'completed' && !error;
  return componentsToReprocess(mediaType, readable ? parts.filter((part) => part !== 'pages') : parts);
}

/**
 * Writes the row of a file, once.
 *
 * @param skipped why the file is not opened
 * @returns whether it was written
 */
async function claim(
  tx: EntityManager,
  row: Reprocessing,
  { fileId, place }: Candidate,
  skipped?: FailureReason,
): Promise<boolean> {
  row.cursor = place;
  const columns = skipped
    ? `'skipped', null::int, ?::jsonb, null::text, null::timestamptz, null::text[], now()`
    : `'processing', generation + 1, null, upload_description, described_at, tags, null`;
  const written: unknown[] = await tx.execute(
    `insert into reprocessing_files (reprocessing_id, file_id, components, started_at, status, generation, error,
       description_before, described_at_before, tags_before, ended_at)
     select ?, id, '{}', now(), ${columns} from files where id = ? on conflict do nothing returning 1`,
    [row.id, ...(skipped ? [JSON.stringify(skipped)] : []), fileId],
  );
  return written.length > 0;
}

async function pauseFor(em: EntityManager, target: ReprocessingTarget, reason: FailureReason): Promise<void> {
  await em.fork().transactional(async (tx) => {
    const row = await lockReprocessing(tx, target);
    if (row.status === 'processing') Object.assign(row, { status: 'paused', pauseReason: reason });
  });
}

async function completeReprocessing(em: EntityManager, target: ReprocessingTarget): Promise<void> {
  await em.fork().transactional(async (tx) => {
    const row = await lockReprocessing(tx, target);
    const open = await tx.count(ReprocessedFile, { reprocessingId: row.id, status: 'processing' });
    if (row.status !== 'processing' || !row.exhausted || open > 0) return;
    Object.assign(row, endAs('completed'), { engineDueAt: null });
  });
}
