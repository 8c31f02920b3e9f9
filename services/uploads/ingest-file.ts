import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { notFound } from '../../domain/app-error.ts';
import { initialComponents, outstanding } from '../../domain/components.ts';
import type { RequestedCategory } from '../../domain/content-categories.ts';
import { reservationsOf } from '../../domain/accounts/credits.ts';
import type { MediaType } from '../../domain/media.ts';
import type { UploadOptions } from '../../domain/uploads/upload-options.ts';
import type { Engine } from '../../temporal/client.ts';
import type { PriorityName } from '../../temporal/contract/queues.ts';
import { releaseClaim } from './claimed-objects.ts';
import { reserveCredits } from '../accounts/credits.ts';
import { lockOpenUploadSession } from '../upload-sessions/seal-upload-session.ts';
import { findDuplicate, lockContent } from '../files/find-duplicate.ts';
import { lockFolder } from '../files/folders/folders.ts';
import { newFile } from '../files/new-file.ts';
import { recordItem, type ItemKey } from '../upload-sessions/record-item.ts';
import type { Principal } from '../accounts/principal.ts';
import { subscribeToSubject, type RequestWebhook } from '../webhooks/request-webhook.ts';
import { startFileWork } from '../processing/start-file-work.ts';
import { isDue } from '../shared/due.ts';

/** A file whose bytes are stored and whose row is not written yet. */
export interface IncomingFile {
  fileId: string;
  objectKey: string;
  sizeBytes: number;
  sha256: string;
  mediaType: MediaType;
  contentType: string;
  format: string;
  filename: string;
  title: string | null;
  tags: string[];
  contentCategory: RequestedCategory;
  options: UploadOptions;
  /** The root folder if absent. */
  folderId?: string | null;
  /** URL of a link. */
  sourceUrl?: string;
  /** The file that it is a part of. */
  parentFileId?: string;
  /** Its pages there, if it is some of them. */
  parentPages?: string;
  /** The upload session and the file's position in it. */
  session?: ItemKey;
  /** The API key that uploaded it, unless a login session did. */
  apiKeyId?: string | null | undefined;
  /** Receives the events of the file. */
  webhook?: RequestWebhook | undefined;
}

/** Client-given attributes of a file, independent of the upload method. */
export type UploadAttributes = Pick<
  IncomingFile,
  'title' | 'tags' | 'contentCategory' | 'options' | 'folderId' | 'webhook'
>;

export type IngestOutcome = { created: StoredFile } | { duplicateOf: StoredFile };

/**
 * Writes the row of a stored file and reserves its credits, in one transaction. The folder is locked during
 * the transaction, so that no file is put into a folder that is being deleted. With `skipDuplicates`, an
 * existing live file of the tenant with the same content wins: nothing is written, and the caller removes its
 * object.
 *
 * @param ifFolderGone what to do with a file whose folder was deleted since the client named it
 * @throws AppError NOT_FOUND for such a folder; QUOTA_EXHAUSTED; UNSUPPORTED_MEDIA for a medium without a pipeline;
 *   UPLOAD_SESSION_ENDED when its session accepts no more files
 */
export async function ingestFile(
  em: EntityManager,
  { tenantId, tier }: Pick<Principal, 'tenantId' | 'tier'>,
  incoming: IncomingFile,
  ifFolderGone: 'refuse' | 'put-in-root' = 'refuse',
): Promise<IngestOutcome> {
  const { fileId, options, session, apiKeyId, webhook, ...described } = incoming;
  const { mediaType, contentCategory } = described;
  const components = initialComponents(mediaType, { ...options, contentCategory });
  return em.transactional(async (tx) => {
    if (session) await lockOpenUploadSession(tx, session.sessionId);
    // Locked with and without skip_duplicates: an upload that skips must see a concurrent one with the same content.
    await lockContent(tx, tenantId, incoming.sha256);
    const duplicateOf = options.skipDuplicates ? await findDuplicate(tx, tenantId, incoming.sha256) : null;
    if (duplicateOf) {
      if (session) {
        await recordItem(tx, session, incoming.filename, { state: 'skipped', fileId: duplicateOf.id });
      }
      return { duplicateOf };
    }

    let { folderId = null } = incoming;
    if (folderId && !(await lockFolder(tx, tenantId, folderId))) {
      if (ifFolderGone === 'refuse') throw notFound('folder');
      folderId = null;
    }
    const run = { fileId, generation: 1, mediaType, sessionId: session?.sessionId, options };
    for (const reservation of reservationsOf(run, outstanding({ mediaType, components }))) {
      await reserveCredits(tx, { tenantId, tier, apiKeyId, ...reservation });
    }
    const sessionId = session?.sessionId ?? null;
    await subscribeToSubject(tx, webhook, { tenantId, kind: 'file', id: fileId });
    const { sourceUrl = null, parentFileId = null, parentPages = null } = incoming;
    const uploaded = {
      ...described,
      id: fileId,
      tenantId,
      options,
      folderId,
      sessionId,
      sourceUrl,
      parentFileId,
      parentPages,
    };
    const created = tx.create(StoredFile, newFile(uploaded, components, new Date()));
    await tx.persist(created).flush();
    await releaseClaim(tx, incoming.objectKey);
    if (session) await recordItem(tx, session, incoming.filename, { state: 'stored', fileId });
    return { created };
  });
}

/**
 * Starts the work of an ingested file, unless it has been started. If the engine is unreachable, the work stays due.
 */
export async function startIngestedFile(
  { em, engine }: { em: EntityManager; engine: Engine },
  { fileId, tenantId }: { fileId: string; tenantId: string },
  priority?: PriorityName,
): Promise<void> {
  const known = { id: fileId, tenantId, generation: 1, deletedAt: null };
  const file = await em.findOne(StoredFile, known, { refresh: true });
  if (file && isDue(file)) await startFileWork({ em, engine }, file, priority);
}
