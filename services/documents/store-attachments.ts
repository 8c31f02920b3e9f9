import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Attachment } from 'darkroom-reader';
import { Tenant } from '../../db/entities/accounts/tenant.ts';
import { CreditEntry } from '../../db/entities/accounts/credit-entry.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { DocumentReader, DocumentSource } from '../../engines/document-reader/document-reader.ts';
import { reservationId } from '../../domain/accounts/credits.ts';
import { AppError } from '../../domain/app-error.ts';
import { originalKey, placeOf } from '../../domain/object-keys.ts';
import { cleanFilename } from '../../domain/text.ts';
import type { Engine } from '../../temporal/client.ts';
import { lockFile } from '../files/find-file.ts';
import { discardObject } from '../uploads/claimed-objects.ts';
import { ingestFile, startIngestedFile } from '../uploads/ingest-file.ts';
import { storeBytes, type StorePartDeps } from '../uploads/streaming/store-part.ts';

export interface StoreAttachmentsDeps extends Omit<StorePartDeps, 'maxBytes' | 'mediaType'> {
  engine: Engine;
  reader: DocumentReader;
}

/** Attachments of one message. */
const MOST = 50;
/** Messages in messages: the attachments of a message that is attached to one are stored, too, and no further ones. */
const MOST_DEPTH = 2;

/**
 * Makes the attachments of a document files of their own, which belong to it: in its folder, within the same limits and at the
 * cost of an upload. May run again: an attachment has the same id each time. Those that an upload would refuse are left
 * out.
 *
 * @returns what was left out, for the document's readers
 * @throws the error of database, store or reader; the reason of the signal
 */
export async function storeAttachments(
  deps: StoreAttachmentsDeps,
  file: StoredFile,
  source: DocumentSource,
  attachments: readonly Attachment[],
  signal: AbortSignal,
): Promise<string[]> {
  if (attachments.length === 0) return [];
  if ((await depthOf(deps.em, file)) >= MOST_DEPTH)
    return [`Attachments of messages within messages are not stored: ${attachments.length}.`];
  const notes =
    attachments.length > MOST ? [`Of ${attachments.length} attachments, ${MOST} are stored.`] : [];
  for (const [at, attachment] of attachments.slice(0, MOST).entries()) {
    const filename = cleanFilename(attachment.filename || `attachment-${at + 1}`);
    try {
      await storeAttachment(deps, file, { ...attachment, filename, at }, source, signal);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      notes.push(`Attachment ${filename} is not stored: ${error.message}.`);
    }
  }
  return notes;
}

async function storeAttachment(
  deps: StoreAttachmentsDeps,
  parent: StoredFile,
  { filename, contentType, at }: Attachment & { at: number },
  source: DocumentSource,
  signal: AbortSignal,
): Promise<void> {
  const { em, objects, reader } = deps;
  const { tenantId } = parent;
  const fileId = attachmentId(parent.id, at);
  const target = { fileId, tenantId };
  if ((await em.count(StoredFile, { id: fileId, tenantId })) > 0) return startIngestedFile(deps, target);
  const bytes = await reader.readAttachment(source, at, signal);
  const objectKey = originalKey(placeOf(tenantId, parent.objectKey), fileId, randomBytes(6).toString('hex'));
  const stored = await storeBytes(deps, Readable.from([Buffer.from(bytes)]), objectKey, {
    filename,
    contentType,
  });
  try {
    const isCreated = await em.fork().transactional(async (tx) => {
      const found = await lockFile(tx, tenantId, parent.id);
      // A message in the trash gets no more attachments.
      if (!found || found.deletedAt) return false;
      const { id, tier } = await tx.findOneOrFail(Tenant, tenantId);
      const paid = await tx.findOne(CreditEntry, {
        reservationId: reservationId(parent.id, parent.generation),
        closes: false,
      });
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
          apiKeyId: paid?.apiKeyId,
        },
        'put-in-root',
      );
      return true;
    });
    if (!isCreated) return await discardObject({ em: em.fork(), objects }, objectKey);
  } catch (error) {
    // After any other error it is unknown whether the row was written, so the object stays; without a row, its claim does.
    if (error instanceof AppError) await discardObject({ em: em.fork(), objects }, objectKey);
    throw error;
  }
  await startIngestedFile(deps, target);
}

/** How many files it belongs to, one within the other, as far as that matters. */
async function depthOf(em: EntityManager, file: StoredFile): Promise<number> {
  let depth = 0;
  for (let { parentFileId } = file; parentFileId && depth < MOST_DEPTH; depth += 1)
    parentFileId =
      (await em.findOne(StoredFile, { id: parentFileId, tenantId: file.tenantId }))?.parentFileId ?? null;
  return depth;
}

/** The id of an attachment: the same for every attempt. */
function attachmentId(parentId: string, at: number): string {
  const hash = createHash('sha256').update(`${parentId} attachment ${at}`).digest('hex');
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}
