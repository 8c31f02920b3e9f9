import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import type { FileImport } from '../../db/entities/imports/import.ts';
import { ImportItem } from '../../db/entities/imports/import-item.ts';
import { DeletionReceipt } from '../../db/entities/trash/deletion-receipt.ts';
import { SourceFailed } from '../../adapters/object-store/source-bucket.ts';
import { AppError } from '../../domain/app-error.ts';
import { isBucketFailure } from '../../domain/bucket-failure.ts';
import type { FailureReason } from '../../domain/components.ts';
import { endOfItem, FILE_REMOVED, reasonOfSize, type ImportItemStatus } from '../../domain/imports.ts';
import { MAX_IMPORTED_BYTES } from '../../domain/limits.ts';
import { originalKey } from '../../domain/object-keys.ts';
import { cleanFilename, filenameOf } from '../../domain/text.ts';
import type { Engine } from '../../temporal/client.ts';
import { findNamedSchema } from '../structured-extraction/saved-schemas/find-schema.ts';
import { outage } from '../shared/outage.ts';
import { discardObject } from '../uploads/claimed-objects.ts';
import { ingestFile, startIngestedFile } from '../uploads/ingest-file.ts';
import { storeBytes, type StorePartDeps } from '../uploads/streaming/store-part.ts';
import { folderReason } from './folder-source.ts';
import { isSourceDown, mayBeDown, sourceReason } from './open-source.ts';
import type { OpenSource } from './source.ts';

export interface ItemDeps extends Omit<StorePartDeps, 'maxBytes' | 'mediaType' | 'anyMedium'> {
  engine: Engine;
}

/** Time for a file, however small. */
const FILE_WITHIN_MS = 60_000;
/** A source that sends less is given up. */
const SLOWEST_BYTES_A_MS = 50;
const PROBE_MS = 30_000;
/** A store that is restarted may list its objects some seconds before it serves them. One that hangs is not asked again. */
const RETRY_AFTER_MS = [1_000, 3_000, 9_000];
const HANGS_AFTER_MS = 5_000;

/** What the items of a round know of each other: after one that failed each time, no other is tried again. */
export interface Retries {
  inVain: boolean;
}

const longestMs = (sizeBytes: number | null) =>
  Math.ceil(Math.min(sizeBytes ?? 0, MAX_IMPORTED_BYTES) / SLOWEST_BYTES_A_MS);

/**
 * Fetches an item, makes it a file and starts its processing, or records why there is none. Idempotent.
 *
 * @returns the shortage for which the item has to wait: of credits, or of the whole source
 * @throws outages of our own servers, failures of the account's bucket that files are stored in, the reason of the signal
 */
export async function importItem(
  deps: ItemDeps,
  at: { row: FileImport; source: OpenSource; retries: Retries },
  item: ImportItem,
  signal: AbortSignal,
): Promise<FailureReason | undefined> {
  const { em } = deps;
  const { row } = at;
  const sizeBytes = item.sizeBytes ?? null;
  // One that was forgotten, and is found again: an id is used once.
  const used = row.pass > 1 && (await em.fork().count(DeletionReceipt, { fileId: item.id }));
  // Sizes are known when an item is listed, but one may wait since before an upgrade.
  const skipped = used ? FILE_REMOVED : reasonOfSize(sizeBytes);
  if (skipped) {
    await endItem(em.fork(), item.id, 'skipped', skipped);
    return undefined;
  }
  for (let tries = 0; ; tries += 1) {
    const late = AbortSignal.timeout(FILE_WITHIN_MS + longestMs(sizeBytes));
    const began = Date.now();
    try {
      await fetchItem(deps, at, item, AbortSignal.any([signal, late]));
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      const reason = late.aborted ? TOO_SLOW : reasonOf(error);
      if (!reason) {
        if (outage(error) || isBucketFailure(error)) throw error;
        deps.onError(error, `an unexpected error of the import item ${item.id}`);
        await endItem(em.fork(), item.id, 'failed', UNEXPECTED);
        return undefined;
      }
      if (reason.code === 'QUOTA_EXHAUSTED') return reason;
      // One object that cannot be read fails, a source of which nothing can be read is waited for.
      const down = mayBeDown(error) ? await findOutage(at.source, reason, signal) : undefined;
      if (down) return down;
      const isBrief = isSourceDown(error) && Date.now() - began < HANGS_AFTER_MS;
      const wait = isBrief && !at.retries.inVain ? RETRY_AFTER_MS[tries] : undefined;
      if (wait === undefined) {
        at.retries.inVain ||= isBrief;
        await endItem(em.fork(), item.id, endOfItem(reason.code), reason);
        return undefined;
      }
      // It may have come back between the failure and the question whether it is down.
      await delay(wait, undefined, { signal });
    }
  }
}

const UNEXPECTED = { code: 'INTERNAL', message: 'an unexpected error; see the worker log' };
const TOO_SLOW = { code: 'SOURCE_TOO_SLOW', message: 'the source sends it too slowly, or not at all' };

function reasonOf(error: unknown): FailureReason | undefined {
  const ofSource = sourceReason(error);
  if (ofSource || !(error instanceof AppError) || isBucketFailure(error)) return ofSource;
  return { code: error.code, message: error.message };
}

/** Why nothing of the source can be read, if that is so. */
async function findOutage(
  source: OpenSource,
  reason: FailureReason,
  signal: AbortSignal,
): Promise<FailureReason | undefined> {
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]);
    await (source.probe ? source.probe(within) : source.list(undefined, within));
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (folderReason(error)) return folderReason(error);
    return isSourceDown(error) || !(error instanceof SourceFailed) ? reason : undefined;
  }
}

async function fetchItem(
  deps: ItemDeps,
  { row, source }: { row: FileImport; source: OpenSource },
  item: ImportItem,
  signal: AbortSignal,
): Promise<void> {
  const { em, objects, engine } = deps;
  const { tenantId, settings } = row;
  const place = { tenantId, storageConfigId: settings.storageConfigId };
  const objectKey = originalKey(place, item.id, randomBytes(6).toString('hex'));
  const isUrl = row.source.type === 'manifest' && row.source.connectionId === undefined;
  const filename = isUrl ? filenameOf(item.key) : cleanFilename(item.key.split('/').at(-1));
  const stored = await storeItem(deps, source, item, { objectKey, filename }, signal);
  const discard = () => discardObject({ em: em.fork(), objects }, objectKey);
  try {
    const created = await em.fork().transactional(async (tx) => {
      const locked = await tx.findOneOrFail(ImportItem, item.id, {
        lockMode: LockMode.PESSIMISTIC_WRITE,
        refresh: true,
      });
      if (locked.status !== 'pending') return false;
      const { tier } = await tx.findOneOrFail(Tenant, tenantId);
      const { title, tags, folderId, contentCategory, customSchemaId } = item.attributes ?? {};
      if (customSchemaId !== undefined) await findNamedSchema(tx, tenantId, customSchemaId, 'background');
      const outcome = await ingestFile(
        tx,
        { tenantId, tier },
        {
          ...stored,
          fileId: item.id,
          objectKey,
          filename,
          title: title ?? null,
          tags: tags ?? settings.tags,
          folderId: folderId ?? settings.folderId,
          contentCategory: contentCategory ?? settings.contentCategory,
          options: { ...settings.options, ...(customSchemaId !== undefined && { customSchemaId }) },
          apiKeyId: row.apiKeyId,
        },
        // The request was accepted, and the import may take days.
        folderId === undefined ? 'put-in-root' : 'refuse',
      );
      const isNew = 'created' in outcome;
      Object.assign(locked, {
        status: isNew ? 'imported' : 'skipped',
        reason: isNew ? null : { code: 'DUPLICATE', message: 'another file has this content' },
        fileId: isNew ? item.id : outcome.duplicateOf.id,
        sizeBytes: stored.sizeBytes,
        endedAt: new Date(),
      });
      return isNew;
    });
    if (!created) await discard();
  } catch (error) {
    // After any other error it is unknown whether the row was written, so the object stays; without a row, its claim does.
    if (error instanceof AppError) await discard();
    throw error;
  }
  await startIngestedFile({ em: em.fork(), engine }, { fileId: item.id, tenantId }, 'bulk');
}

/** Stores the bytes of an item as its source has listed it. */
async function storeItem(
  deps: ItemDeps,
  source: OpenSource,
  item: ImportItem,
  { objectKey, filename }: { objectKey: string; filename: string },
  signal: AbortSignal,
) {
  const { em, objects } = deps;
  const sizeBytes = item.sizeBytes ?? null;
  const { content, sizeBytes: announced } = await source.open(item, signal);
  try {
    if (sizeBytes !== null && announced !== undefined && announced !== sizeBytes)
      throw otherSize(sizeBytes, announced);
    // One byte more than it may have, so that the difference is told from a file that is too large.
    const maxBytes = sizeBytes === null ? MAX_IMPORTED_BYTES : sizeBytes + 1;
    const declared = { filename };
    const stored = await storeBytes({ ...deps, maxBytes, anyMedium: true }, content, objectKey, declared);
    if (sizeBytes === null || stored.sizeBytes === sizeBytes) return stored;
    await discardObject({ em: em.fork(), objects }, objectKey);
    throw otherSize(sizeBytes, stored.sizeBytes);
  } catch (error) {
    content.destroy();
    const tooLong = error instanceof AppError && error.code === 'FILE_TOO_LARGE' && sizeBytes !== null;
    throw tooLong ? otherSize(sizeBytes, 'more') : error;
  }
}

function otherSize(listed: number, sent: number | 'more'): AppError {
  const message = `the source listed ${listed} bytes and sends ${sent}; import it again`;
  return new AppError('SIZE_MISMATCH', message);
}

/** Ends an item that has no file of its own. One that has ended is unchanged. */
async function endItem(
  em: EntityManager,
  id: string,
  status: ImportItemStatus,
  reason: FailureReason,
): Promise<void> {
  await em.nativeUpdate(ImportItem, { id, status: 'pending' }, { status, reason, endedAt: new Date() });
}
