import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { AppError } from '../../domain/app-error.ts';
import { originalKey, placeOf } from '../../domain/object-keys.ts';
import type { Declared } from '../../engines/content-sniffer/content-sniffer.ts';
import type { Engine } from '../../temporal/client.ts';
import { lockFile } from '../files/find-file.ts';
import { lockContent } from '../files/find-duplicate.ts';
import { discardObject } from '../uploads/claimed-objects.ts';
import { ingestFile, startIngestedFile } from '../uploads/ingest-file.ts';
import { storeBytes, type StorePartDeps } from '../uploads/streaming/store-part.ts';

export interface IngestPartDeps extends Omit<StorePartDeps, 'maxBytes' | 'mediaType'> {
  engine: Engine;
}

/** A part of a file that becomes a file of its own. */
export interface Part {
  /** The same for every attempt, by `partId`. */
  fileId: string;
  filename: string;
  declared: Declared | { type: string };
  /** Its pages in the parent. */
  pages?: string;
  /** As of a streamed upload if absent. */
  maxBytes?: number;
  read: () => Promise<Uint8Array>;
  /** The API key that pays, found in the transaction that writes the row; undefined if the part is no longer wanted. */
  payer: (tx: EntityManager) => Promise<{ apiKeyId: string | null | undefined } | undefined>;
}

/**
 * Makes a part a file that belongs to its parent: in its folder, within the same limits and at the cost of an upload.
 * May run again. A parent in the trash gets no more parts.
 *
 * @returns whether the part is a file, even if it was deleted since
 * @throws AppError for what an upload would refuse; the errors of `read`, database and store
 */
export async function ingestPart(
  deps: IngestPartDeps,
  parent: StoredFile,
  { fileId, filename, declared, pages, maxBytes, read, payer }: Part,
): Promise<boolean> {
  const { em, objects } = deps;
  const { tenantId } = parent;
  const target = { fileId, tenantId };
  if ((await em.count(StoredFile, { id: fileId, tenantId })) > 0) {
    await startIngestedFile(deps, target);
    return true;
  }
  const bytes = await read();
  const objectKey = originalKey(placeOf(tenantId, parent.objectKey), fileId, randomBytes(6).toString('hex'));
  const content = Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)]);
  const stored = await storeBytes(
    { ...deps, ...(maxBytes !== undefined && { maxBytes }) },
    content,
    objectKey,
    declared,
  );
  try {
    const isCreated = await em.fork().transactional(async (tx) => {
      // As everywhere: contents before files.
      await lockContent(tx, tenantId, stored.sha256);
      const found = await lockFile(tx, tenantId, parent.id);
      const paid = await payer(tx);
      if (!paid || !found || found.deletedAt) return false;
      const { id, tier } = await tx.findOneOrFail(Tenant, tenantId);
      await ingestFile(
        tx,
        { tenantId: id, tier },
        {
          ...stored,
          fileId,
          objectKey,
          filename,
          title: null,
          tags: found.tags,
          contentCategory: 'auto',
          options: { autoDescribe: parent.options.autoDescribe, skipDuplicates: false },
          folderId: found.folderId ?? null,
          parentFileId: parent.id,
          ...(pages !== undefined && { parentPages: pages }),
          apiKeyId: paid.apiKeyId,
        },
        'put-in-root',
      );
      return true;
    });
    if (!isCreated) {
      await discardObject({ em: em.fork(), objects }, objectKey);
      return false;
    }
  } catch (error) {
    // After any other error it is unknown whether the row was written, so the object stays; without a row, its claim does.
    if (error instanceof AppError) await discardObject({ em: em.fork(), objects }, objectKey);
    throw error;
  }
  await startIngestedFile(deps, target);
  return true;
}

/** The id of a part: the same for every attempt. @param name of the part, unique in all that it may be a part of */
export function partId(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex');
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}
