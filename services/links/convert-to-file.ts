import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { EntityData } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { CreditEntry } from '../../db/entities/accounts/credit-entry.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { LinkDetails } from '../../db/entities/links/link-details.ts';
import { reservationId, reservationsOf } from '../../domain/accounts/credits.ts';
import { AppError } from '../../domain/app-error.ts';
import { initialComponents, outstanding } from '../../domain/components.ts';
import { VARIANTS } from '../../domain/image-analysis.ts';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { pageTitle } from '../../domain/links/web-page.ts';
import { originalKey, placeOf, screenshotKey, variantKey } from '../../domain/object-keys.ts';
import { primaryStatus } from '../../domain/primary-status.ts';
import { filenameOf } from '../../domain/text.ts';
import { reserveCredits } from '../accounts/credits.ts';
import { findDuplicate, lockContent } from '../files/find-duplicate.ts';
import { lockFile } from '../files/find-file.ts';
import { allMedia } from '../media/medium.ts';
import { FileGone } from '../processing/file-target.ts';
import { settleRun } from '../processing/settle-run.ts';
import { discardObject, handOverToSweep, releaseClaim } from '../uploads/claimed-objects.ts';
import { storeBytes, type StorePartDeps } from '../uploads/streaming/store-part.ts';
import type { StoredUpload } from '../uploads/streaming/upload-sink.ts';
import { DuplicateLink } from './find-links.ts';
import { dueSince } from '../shared/due.ts';

/** The link has been converted to a file of another medium, which a new run processes; the run of the link ends. */
export class ConvertedToFile extends Error {
  override readonly name = 'ConvertedToFile';
}

export interface BecomeFileDeps extends Omit<StorePartDeps, 'maxBytes' | 'mediaType'> {
  em: EntityManager;
  objects: ObjectStore;
  chunkVectors: VectorIndex;
}

/** A file at the URL of a link. */
interface FoundFile {
  url: string;
  content: Readable;
  /** As detected by the fetch. */
  type: string;
}

/**
 * Converts a link to the file at its URL. The bytes are stored under a claimed key; then one transaction changes object,
 * medium, components and generation of the row, moves the credits to the new run, and removes the results of an earlier
 * crawl. An attempt that is killed before leaves a claim, which the sweep removes.
 *
 * @throws ConvertedToFile on success; DuplicateLink, FileGone; AppError QUOTA_EXHAUSTED and those of storeBytes
 */
export async function convertToFile(
  deps: BecomeFileDeps,
  link: StoredFile,
  found: FoundFile,
): Promise<never> {
  const { em, objects } = deps;
  const { id: fileId, tenantId, objectKey: former } = link;
  const objectKey = originalKey(placeOf(tenantId, former), fileId, randomBytes(6).toString('hex'));
  const filename = filenameOf(found.url);
  // One byte above the limit of the fetch, so that the fetch fails first, with its specific error.
  const storing = { ...deps, maxBytes: MAX_STREAMED_BYTES + 1 };
  const stored = await storeBytes(storing, found.content, objectKey, { type: found.type });
  try {
    await em.fork().transactional((tx) => replaceLink(deps, tx, link, { ...stored, objectKey, filename }));
  } catch (error) {
    // After any other error it is unknown whether the row was written, so the object stays; without a row, the claim
    // stays as well.
    const isRefused =
      error instanceof AppError || error instanceof DuplicateLink || error instanceof FileGone;
    if (isRefused) await discardObject({ em: em.fork(), objects }, objectKey);
    throw error;
  }
  throw new ConvertedToFile(
    `the content of the URL is ${stored.contentType}, so the link is processed as a file of this type from now on`,
  );
}

async function replaceLink(
  deps: BecomeFileDeps,
  tx: EntityManager,
  link: StoredFile,
  { mediaType, contentType, format, sizeBytes, sha256, objectKey, filename }: NewOriginal,
): Promise<void> {
  const { id: fileId, tenantId } = link;
  await lockContent(tx, tenantId, sha256);
  const current = await lockFile(tx, tenantId, fileId);
  if (!current || current.generation !== link.generation || current.deletedAt)
    throw new FileGone('the link was deleted, or a newer run has taken over');
  const duplicateOf = current.options.skipDuplicates
    ? await findDuplicate(tx, tenantId, sha256, fileId)
    : null;
  if (duplicateOf) throw new DuplicateLink(duplicateOf.id);

  const generation = current.generation + 1;
  const { contentCategory, options, sessionId } = current;
  const components = initialComponents(mediaType, { ...options, contentCategory });
  // The file is charged by its own medium; the reservation of the link is refunded.
  const accepted = await tx.findOne(CreditEntry, {
    reservationId: reservationId(fileId, current.generation),
    closes: false,
  });
  await settleRun(tx, {
    fileId,
    generation: current.generation,
    mediaType: current.mediaType,
    components: current.components,
  });
  const { tier } = await tx.findOneOrFail(Tenant, tenantId);
  const run = { fileId, generation, mediaType, sessionId, options };
  for (const reservation of reservationsOf(run, outstanding({ mediaType, components }))) {
    await reserveCredits(tx, { tenantId, tier, apiKeyId: accepted?.apiKeyId, ...reservation });
  }
  const ofPage = await removePage(deps, tx, current);
  const now = new Date();
  await tx.nativeUpdate(
    StoredFile,
    { id: fileId },
    {
      ...ofPage,
      mediaType,
      contentType,
      format,
      sizeBytes,
      sha256,
      objectKey,
      filename,
      duplicateOf: null,
      generation,
      seq: 0,
      components,
      primaryStatus: primaryStatus(components),
      workflowStartedAt: null,
      ...dueSince(now),
      updatedAt: now,
    },
  );
  await releaseClaim(tx, objectKey);
  await handOverToSweep(tx, [current.objectKey]);
}

/**
 * Removes the results of an earlier crawl, so that none is shown or found as content of the new medium. Vectors and variants
 * are removed while the row is locked: never those of the next run, and again by the next attempt if this one is killed.
 *
 * @returns the changes to the row
 */
async function removePage(
  { objects, chunkVectors }: Pick<BecomeFileDeps, 'objects' | 'chunkVectors'>,
  tx: EntityManager,
  { id: fileId, tenantId, objectKey, title }: StoredFile,
): Promise<EntityData<StoredFile>> {
  const page = await tx.findOne(LinkDetails, { fileId });
  if (!page) return {};
  for (const table of allMedia().flatMap(({ ownTables }) => ownTables))
    await tx.execute(`delete from ${table} where file_id = ?`, [fileId]);
  await tx.execute('update files set document_words = default where id = ?', [fileId]);
  await chunkVectors.remove({ tenantId, fileIds: [fileId] });
  const place = placeOf(tenantId, objectKey);
  const variants = VARIANTS.map(({ type }) => variantKey(place, fileId, type));
  await objects.remove([...variants, screenshotKey(place, fileId)]);
  return { uploadDescription: null, describedAt: null, ...(title === pageTitle(page) && { title: null }) };
}

type NewOriginal = StoredUpload & { objectKey: string; filename: string };
