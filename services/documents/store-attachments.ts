import type { EntityManager } from '@mikro-orm/postgresql';
import type { Attachment } from 'darkroom-reader';
import { CreditEntry } from '../../db/entities/accounts/credit-entry.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { DocumentReader, DocumentSource } from '../../engines/document-reader/document-reader.ts';
import { reservationId } from '../../domain/accounts/credits.ts';
import { AppError } from '../../domain/app-error.ts';
import { cleanFilename } from '../../domain/text.ts';
import { ingestPart, partId, type IngestPartDeps } from './ingest-part.ts';

export interface StoreAttachmentsDeps extends IngestPartDeps {
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
  await ingestPart(deps, parent, {
    fileId: partId(`${parent.id} attachment ${at}`),
    filename,
    declared: { filename, contentType },
    read: () => deps.reader.readAttachment(source, at, signal),
    async payer(tx) {
      const id = reservationId(parent.id, parent.generation);
      const paid = await tx.findOne(CreditEntry, { reservationId: id, closes: false });
      return { apiKeyId: paid?.apiKeyId };
    },
  });
}

/** How many files it belongs to, one within the other, as far as that matters. */
async function depthOf(em: EntityManager, file: StoredFile): Promise<number> {
  let depth = 0;
  for (let { parentFileId } = file; parentFileId && depth < MOST_DEPTH; depth += 1)
    parentFileId =
      (await em.findOne(StoredFile, { id: parentFileId, tenantId: file.tenantId }))?.parentFileId ?? null;
  return depth;
}
