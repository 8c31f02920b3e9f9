import type { EntityManager } from '@mikro-orm/postgresql';
import { FileRemoval } from '../../db/entities/trash/file-removal.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { PurgeCandidate } from '../../temporal/contract/purge-files.ts';
import { isTerminalPrimary, primaryStatus } from '../../domain/primary-status.ts';
import { notFound, AppError } from '../../domain/app-error.ts';
import { daysAfter } from '../../domain/trash/retention.ts';
import { cutShort, isBusy } from '../../domain/trash/trash.ts';
import { lockFile } from '../files/find-file.ts';
import { LAST_SEQ } from '../processing/end-file-run.ts';
import { settleRun } from '../processing/settle-run.ts';
import { markDue } from '../shared/due.ts';
import {
  DocumentsBusy,
  isAmong,
  type RunPosition,
  createFindHalted,
  unlessBusy,
  type FindHalted,
} from './busy-documents.ts';
import { rejectHeld } from './file-holds.ts';
import { lockTree } from './lock-tree.ts';
import { readRetentionRule } from './read-retention.ts';
import type { Engine } from '../../temporal/client.ts';
import { reconcileFileIfReachable } from '../processing/reconcile-file.ts';

/** A file that a purge has claimed; undefined when it is already gone. */
export async function findPurgeCandidate(
  em: EntityManager,
  { fileId, tenantId }: PurgeCandidate,
): Promise<StoredFile | undefined> {
  const removal = await em.findOne(FileRemoval, { fileId, beganAt: { $ne: null } });
  if (!removal) return undefined;
  const file = await em.findOne(StoredFile, { id: fileId, tenantId, deletedAt: { $ne: null } });
  return file ?? undefined;
}

/** Records objects of a claimed file before they are removed; each counts once. */
export async function noteObjects(em: EntityManager, fileId: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await em.execute(
    `update file_removals set object_keys = array(select unnest(object_keys) union select jsonb_array_elements_text(?::jsonb))
     where file_id = ?`,
    [JSON.stringify(keys), fileId],
  );
}

type TrashedFile = StoredFile & { deletedAt: Date };

/** Called in the transaction that moves a file to the trash. */
type OnMoved = (tx: EntityManager, file: TrashedFile) => Promise<unknown>;

interface Trashed {
  file: TrashedFile;
  /** False when it was already in the trash. */
  moved: boolean;
  /** Its attachments, which went with it. */
  parts: TrashedFile[];
}

/**
 * Marks a file as deleted, and its attachments with it, also those that are being read. Its work in progress ends in the same transaction: its components are closed with the final
 * `seq` of their generation, so that no stale write reopens them, and its credits are settled, so that they are
 * refunded even if the engine is never notified.
 *
 * @param halted documents that are not being read, although their rows show them in progress; `all` to delete busy ones
 *   as well
 * @throws AppError NOT_FOUND for a file that is unknown or of another tenant; FILE_HELD, also for one of its parts;
 *   DocumentsBusy
 */
export async function moveToTrash(
  em: EntityManager,
  tenantId: string,
  fileId: string,
  halted: readonly RunPosition[] | 'all',
  { now = new Date(), onMoved }: { now?: Date; onMoved?: OnMoved | undefined } = {},
): Promise<Trashed> {
  return em.transactional(async (tx) => {
    const file = await lockFile(tx, tenantId, fileId);
    if (!file) throw notFound('file');
    if (isTrashed(file)) return { file, moved: false, parts: [] };
    await lockTree(tx, tenantId, fileId);
    await rejectHeld(tx, fileId);
    if (halted !== 'all' && isBusy(file) && !isAmong(halted, file)) {
      throw new DocumentsBusy('the text of this document is being extracted or embedded', [file]);
    }
    if (!isTerminalPrimary(file.primaryStatus)) {
      file.components = cutShort(file.components, now);
      file.primaryStatus = primaryStatus(file.components);
      file.seq = LAST_SEQ;
      const { generation, mediaType, components } = file;
      await settleRun(tx, { fileId, generation, mediaType, components });
    }
    file.updatedAt = now;
    markDue(file, now);
    const { trashDays } = await readRetentionRule(tx, file);
    const trashed = Object.assign(file, { deletedAt: now, purgeAt: daysAfter(now, trashDays) });
    await tx.flush();
    const parts: TrashedFile[] = [];
    const attached = { tenantId, parentFileId: fileId, ...ATTACHED, deletedAt: null };
    for (const { id } of await tx.find(StoredFile, attached)) {
      const part = await moveToTrash(tx, tenantId, id, 'all', { now });
      parts.push(part.file, ...part.parts);
    }
    await onMoved?.(tx, trashed);
    return { file: trashed, moved: true, parts };
  });
}

/** Documents that a file was divided into (those of `pages`) are files of their own, which stay without it. */
export const ATTACHED = { parentPages: null } as const;

function isTrashed(file: StoredFile): file is TrashedFile {
  return Boolean(file.deletedAt);
}

export interface DeleteDeps {
  em: EntityManager;
  engine: Engine;
}

/** The outcome for one file of a batch: in the trash, or the reason why not. */
export type Deletion =
  | { id: string; outcome: 'deleted' | 'deleted_before'; deletedAt: Date; purgeAt: Date | null }
  | { id: string; outcome: 'refused'; reason: string };

/**
 * Moves a live file to the trash with its parts, stops their work and removes them from the similarity index.
 *
 * @throws AppError NOT_FOUND, also for a file that is already in the trash; FILE_HELD; WORK_IN_PROGRESS
 */
export async function deleteFile(deps: DeleteDeps, tenantId: string, fileId: string): Promise<TrashedFile> {
  const trashed = await moveUnlessRead(deps.em, createFindHalted(deps.engine), tenantId, fileId);
  const { file, moved, parts } = trashed;
  if (!moved) throw notFound('file');
  for (const each of [file, ...parts]) await reconcileFileIfReachable(deps, each);
  return file;
}

/**
 * The same for many files, each independently and in the requested order.
 *
 * @param options.findHalted shared by several deletions of one request
 */
export async function deleteFiles(
  { em, engine }: DeleteDeps,
  tenantId: string,
  fileIds: readonly string[],
  { findHalted = createFindHalted(engine), onMoved }: { findHalted?: FindHalted; onMoved?: OnMoved } = {},
): Promise<Deletion[]> {
  const deletions: Deletion[] = [];
  const moved: StoredFile[] = [];
  for (const id of fileIds) {
    try {
      const trashed = await moveUnlessRead(em, findHalted, tenantId, id, onMoved);
      if (trashed.moved) moved.push(trashed.file, ...trashed.parts);
      const { deletedAt, purgeAt = null } = trashed.file;
      deletions.push({ id, outcome: trashed.moved ? 'deleted' : 'deleted_before', deletedAt, purgeAt });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      deletions.push({ id, outcome: 'refused', reason: error.message });
    }
  }
  await Promise.all(moved.map((file) => reconcileFileIfReachable({ em: em.fork(), engine }, file)));
  return deletions;
}

/**
 * Moves a file to the trash; its run is left to the caller.
 *
 * @throws as moveToTrash
 */
function moveUnlessRead(
  em: EntityManager,
  findHalted: FindHalted,
  tenantId: string,
  fileId: string,
  onMoved?: OnMoved,
): Promise<Trashed> {
  return unlessBusy(findHalted, (halted) => moveToTrash(em, tenantId, fileId, halted, { onMoved }));
}
