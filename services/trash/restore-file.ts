import type { EntityManager } from '@mikro-orm/postgresql';
import { FileRemoval } from '../../db/entities/trash/file-removal.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { ComponentName, Components, ComponentState } from '../../domain/components.ts';
import { creditsFor, reservationsOf, schemaReservationId } from '../../domain/accounts/credits.ts';
import { primaryStatus } from '../../domain/primary-status.ts';
import { notFound, AppError } from '../../domain/app-error.ts';
import { reopenComponents, withDependents } from '../../domain/retry-components.ts';
import { goneAt } from '../../domain/trash/retention.ts';
import { cutShortBy } from '../../domain/trash/trash.ts';
import { reserveCredits, type Reservation } from '../accounts/credits.ts';
import { findDuplicate, lockContent } from '../files/find-duplicate.ts';
import { lockFolder } from '../files/folders/folders.ts';
import { uuidArray } from '../files/folders/read-folders.ts';
import { lockFile } from '../files/find-file.ts';
import { mediumOf } from '../media/medium.ts';
import { paidBefore } from '../processing/settle-run.ts';
import type { Principal } from '../accounts/principal.ts';
import { DeletionReceipt } from '../../db/entities/trash/deletion-receipt.ts';
import { ATTACHED } from './delete-files.ts';
import { contentsOfTree, lockRemovals, lockTree } from './lock-tree.ts';
import { markDue } from '../shared/due.ts';
import { isUuid } from '../shared/sql.ts';

/** Whose credits the work of a restored file costs. */
export interface Payer extends Pick<Principal, 'tenantId' | 'tier'> {
  apiKeyId?: string | null | undefined;
}

export interface Restoration {
  file: StoredFile;
  /** False when it was not in the trash; then nothing changed. */
  restored: boolean;
  /** Components that the deletion cancelled and that run again; the caller starts them in the engine. */
  resumed: ComponentName[];
  /** Cancelled components that this month's credits do not cover, or that depend on one; an explicit retry runs them later. */
  unpaid: ComponentName[];
  /** Whether its folder was deleted, so that the file was moved to the root. */
  folderGone: boolean;
  /** Its parts that went to the trash with it, and came back with it. */
  parts: StoredFile[];
  /** Another live file with the same content. */
  duplicateOf: StoredFile | null;
}

/**
 * Restores a file from the trash, with the parts that went there with it. Components that its deletion cancelled run in a new generation, whose credits are
 * reserved again; without enough credits the file is restored all the same. A file whose folder was deleted is moved to
 * the root.
 *
 * @param found the file, in the trash or live
 * @throws AppError NOT_FOUND once its retention in the trash is over, or a purge has claimed it
 */
export async function restoreFile(
  em: EntityManager,
  payer: Payer,
  { id }: Pick<StoredFile, 'id'>,
): Promise<Restoration> {
  const { tenantId } = payer;
  return em.transactional(async (tx) => {
    await lockRemovals(tx, tenantId, 'keeping');
    // As for an upload: serialized with requests that skip duplicates of these contents.
    for (const sha256 of await contentsOfTree(tx, tenantId, id)) await lockContent(tx, tenantId, sha256);
    await lockFile(tx, tenantId, id);
    const tree = await lockTree(tx, tenantId, id);
    await lockFoldersOf(tx, tenantId, tree);
    return restoreLocked(tx, payer, id);
  });
}

/** As a deletion does, in the order of their ids. */
async function lockFoldersOf(tx: EntityManager, tenantId: string, fileIds: string[]): Promise<void> {
  await tx.execute(
    `select from folders where tenant_id = ? and id in (select folder_id from files where id = any(?::uuid[]))
     order by id for share`,
    [tenantId, uuidArray(fileIds)],
  );
}

/** The same for a file that is locked, with its content, its parts and their folders. */
async function restoreLocked(tx: EntityManager, payer: Payer, id: string): Promise<Restoration> {
  const { tenantId } = payer;
  const file = await lockFile(tx, tenantId, id);
  if (!file) throw notFound('file');
  const duplicateOf = await findDuplicate(tx, tenantId, file.sha256, id);
  const { deletedAt } = file;
  if (!deletedAt)
    return { file, restored: false, resumed: [], unpaid: [], folderGone: false, parts: [], duplicateOf };
  const now = new Date();
  if (goneAt({ deletedAt, purgeAt: file.purgeAt }) <= now && !file.hold) throw notFound('file');
  const removal = await tx.findOne(FileRemoval, { fileId: id });
  if (removal?.beganAt) throw notFound('file');
  if (removal) tx.remove(removal);

  const { folderId } = file;
  const folderGone = folderId ? !(await lockFolder(tx, tenantId, folderId)) : false;
  if (folderGone) file.folderId = null;
  const cut = cutShortBy(file.components, deletedAt);
  const { resumed, unpaid } = await reopen(tx, payer, file, cut, now);
  if (resumed.length > 0) {
    Object.assign(file, { generation: file.generation + 1, seq: 0 });
    file.workflowStartedAt = null;
  }
  Object.assign(file, { deletedAt: null, purgeAt: null, retainedFrom: now });
  file.updatedAt = now;
  markDue(file, now);
  await tx.flush();
  const parts: StoredFile[] = [];
  for (const each of await tx.find(StoredFile, { tenantId, parentFileId: id, ...ATTACHED, deletedAt })) {
    const part = await restoreLocked(tx, payer, each.id).catch(unlessGone);
    if (part) parts.push(part.file, ...part.parts);
  }
  return { file, restored: true, resumed, unpaid, folderGone, parts, duplicateOf };
}

/** For a file whose time in the trash is over, or that is being removed for good: what it belongs to goes on without it. */
export function unlessGone(error: unknown): undefined {
  if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error;
}

/**
 * Reopens, in the row, the components whose credits the next generation reserves. If credits are short, only components
 * that cost nothing and depend on none that does.
 *
 * @param cut components that the deletion cancelled
 */
async function reopen(
  tx: EntityManager,
  payer: Payer,
  file: StoredFile,
  cut: readonly ComponentName[],
  now: Date,
): Promise<Pick<Restoration, 'resumed' | 'unpaid'>> {
  const { id: fileId, mediaType, options, contentCategory } = file;
  const generation = file.generation + 1;
  const before = { fileId, mediaType, generation: file.generation, components: file.components };
  const request = { ...options, contentCategory };
  const { retried } = reopenComponents(file, request, cut);
  const included = await paidBefore(tx, before, retried);
  const due = retried.filter((name) => !included.includes(name));
  const reservations = reservationsOf({ ...file, fileId, generation }, retried, due);
  const bySchema = reservations.some(
    (each) => each.reservationId === schemaReservationId(fileId, generation),
  );
  const shortage = await reserve(tx, payer, reservations);
  const costs = (name: ComponentName) =>
    (due.includes(name) && creditsFor(mediaType, [name]) > 0) || (bySchema && name === 'extraction');
  const waiting = withDependents(mediaType, shortage ? retried.filter(costs) : []);
  const unpaid = retried.filter((name) => cut.includes(name) && waiting.has(name));
  const paid = cut.filter((name) => !waiting.has(name));
  const { components, retried: resumed } = reopenComponents(file, request, paid);
  if (resumed.length > 0) await mediumOf(file).keepResults?.(tx, before, resumed);
  file.primaryStatus = primaryStatus(components);
  file.components = shortage ? withReason(components, unpaid, shortage, now) : components;
  return { resumed, unpaid };
}

/** Unpaid components stay cancelled, with the shortage of credits as their error. */
function withReason(
  components: Components,
  unpaid: readonly ComponentName[],
  { code, message }: AppError,
  now: Date,
): Components {
  const state = {
    status: 'skipped',
    cause: 'cancelled',
    error: { code, message },
    endedAt: now.toISOString(),
  } satisfies ComponentState;
  return { ...components, ...Object.fromEntries(unpaid.map((name) => [name, state])) };
}

/** @returns the error when the credits do not suffice; then nothing is reserved */
async function reserve(
  tx: EntityManager,
  payer: Payer,
  reservations: readonly Pick<Reservation, 'reservationId' | 'charges'>[],
): Promise<AppError | undefined> {
  try {
    // A savepoint: undoes the writes of reservations that turn out to exceed the balance.
    await tx.transactional(async (savepoint) => {
      for (const reservation of reservations) {
        await reserveCredits(savepoint, { ...payer, ...reservation });
      }
    });
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'QUOTA_EXHAUSTED') return error;
    throw error;
  }
}

/**
 * The receipt of a file that was permanently removed.
 *
 * @throws AppError NOT_FOUND for an id that is unknown, malformed, not purged yet or of another tenant
 */
export async function findReceipt(
  em: EntityManager,
  tenantId: string,
  fileId: string,
): Promise<DeletionReceipt> {
  const receipt = isUuid(fileId)
    ? await em.findOne(DeletionReceipt, { fileId: fileId.toLowerCase(), tenantId })
    : null;
  if (!receipt) throw notFound('receipt');
  return receipt;
}

/** One page of a tenant's receipts, newest first, and the total count. */
export async function listReceipts(
  em: EntityManager,
  tenantId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ receipts: DeletionReceipt[]; totalCount: number }> {
  const [receipts, totalCount] = await em.findAndCount(
    DeletionReceipt,
    { tenantId },
    { limit, offset, orderBy: { purgedAt: 'desc', fileId: 'desc' } },
  );
  return { receipts, totalCount };
}
