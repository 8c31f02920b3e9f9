import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { AddressGuard } from '../../adapters/outbound/address-guard.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { UploadSessionItem } from '../../db/entities/upload-sessions/upload-session-item.ts';
import { linkFilename } from '../../domain/links/web-link.ts';
import type { Principal } from '../accounts/principal.ts';
import { nameUuid } from '../shared/sql.ts';
import { BatchUploadSession, type BatchUploadSessionDeps } from '../uploads/batch/batch-upload-session.ts';
import { rejection, rejectionOf, type FileOutcome } from '../uploads/batch/file-outcome.ts';
import type { UploadedBatch } from '../uploads/batch/upload-batch.ts';
import type { UploadAttributes } from '../uploads/ingest-file.ts';
import { acceptLink, type NewLink } from './accept-link.ts';
import { isDue } from '../shared/due.ts';

/** The links of one request: the attributes of each, and those they share. */
export interface NewLinks extends Omit<UploadAttributes, 'title' | 'tags'> {
  links: readonly Pick<NewLink, 'url' | 'title' | 'tags'>[];
  storageConfigId?: string | undefined;
}

/**
 * Accepts the links of one request, one after another, into a new upload session. A rejected link is recorded
 * with the reason and does not abort the request. Idempotent by `sessionId`, from which the file ids are
 * derived.
 *
 * @param maxLinks links beyond this are rejected
 * @throws on an outage of the database
 */
export async function acceptLinks(
  deps: BatchUploadSessionDeps & { objects: ObjectStore; webGuard: AddressGuard },
  principal: Principal,
  { links, webhook, ...shared }: NewLinks,
  { sessionId, maxLinks }: { sessionId?: string | undefined; maxLinks: number },
): Promise<UploadedBatch> {
  const { em, objects, webGuard } = deps;
  const session = new BatchUploadSession(deps, principal, sessionId);
  await session.open(webhook);
  // Items of an earlier request with the same key: its session may be sealed and accept no more.
  const earlier = sessionId === undefined ? [] : await em.fork().find(UploadSessionItem, { sessionId });
  const outcomes: FileOutcome[] = [];
  for (const [index, link] of links.entries()) {
    const began = performance.now();
    const filename = linkFilename(link.url);
    const elapsedMs = () => performance.now() - began;
    const reject = async (why: ReturnType<typeof rejection>): Promise<void> => {
      outcomes.push({ index, filename, elapsedMs: elapsedMs(), kind: 'rejected', ...why });
      await session.recordRejected({ index, filename, ...why });
    };
    const known = earlier.find((item) => item.index === index);
    if (known?.state === 'rejected' && known.error) {
      const { code, message: reason } = known.error;
      await reject({ code, reason, retryable: known.retryable });
      continue;
    }
    if (index >= maxLinks) {
      await reject(rejection('TOO_MANY_FILES', `a batch may have ${maxLinks} links at most`));
      continue;
    }
    const refused = webGuard.refuseHost(new URL(link.url));
    if (refused) {
      await reject(rejection('URL_ADDRESS_REFUSED', refused.message));
      continue;
    }
    const key = { sessionId: session.id, index };
    const fileId = nameUuid(`${session.id}/${index}`);
    try {
      const { tenantId } = principal;
      const duplicateOf =
        known?.state === 'skipped'
          ? await em.fork().findOne(StoredFile, { id: known.fileId ?? fileId, tenantId })
          : null;
      const accepted = duplicateOf
        ? { duplicateOf }
        : await acceptLink({ em, objects }, principal, { ...shared, ...link, fileId, session: key });
      const isNew = 'created' in accepted;
      const file = isNew ? accepted.created : accepted.duplicateOf;
      if (isNew && isDue(file)) session.announce(file);
      const { id, objectKey, mediaType } = file;
      const kind = isNew ? 'accepted' : 'skipped';
      outcomes.push({
        index,
        filename,
        elapsedMs: elapsedMs(),
        kind,
        fileId: id,
        objectKey,
        mediaType,
        file,
      });
    } catch (error) {
      await reject(rejectionOf(error));
    }
  }
  await session.seal('client');
  return { sessionId: session.id, outcomes };
}
