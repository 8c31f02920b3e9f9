import { createHash, randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import { LINK_CONTENT_TYPE, linkFilename, linkOriginal } from '../../domain/links/web-link.ts';
import { LINK_FORMAT } from '../../domain/media.ts';
import { originalKey } from '../../domain/object-keys.ts';
import type { Principal } from '../accounts/principal.ts';
import { recordItem, type ItemKey } from '../upload-sessions/record-item.ts';
import { claimObject } from '../uploads/claimed-objects.ts';
import type { IngestOutcome, UploadAttributes } from '../uploads/ingest-file.ts';
import { acceptUpload } from '../uploads/streaming/accept-upload.ts';
import { findByUrl } from './find-links.ts';

/** A link that a client adds. */
export interface NewLink extends UploadAttributes {
  fileId: string;
  /** Normalised by `normalizeLink`. */
  url: string;
  /** Id of the tenant's own bucket; absent for the service's bucket. */
  storageConfigId?: string | undefined;
  session?: ItemKey;
}

/**
 * Creates a file for a URL; the run of the file crawls the page. `skip_duplicates` finds the live file that
 * was added by the same URL, whatever its medium, or a link that redirects to it. The original is the URL
 * itself, so links to one URL that are added concurrently have the same SHA-256. Idempotent by `fileId`.
 *
 * @throws the AppErrors of ingestFile; bucket failures
 */
export async function acceptLink(
  { em, objects }: { em: EntityManager; objects: ObjectStore },
  principal: Principal,
  { fileId, url, storageConfigId, session, ...attributes }: NewLink,
): Promise<IngestOutcome> {
  const { tenantId } = principal;
  const known = await em.fork().findOne(StoredFile, { id: fileId, tenantId });
  if (known) return { created: known };
  const filename = linkFilename(url);
  const duplicateOf = attributes.options.skipDuplicates ? await findByUrl(em.fork(), tenantId, url) : null;
  if (duplicateOf) {
    if (session) await recordItem(em.fork(), session, filename, { state: 'skipped', fileId: duplicateOf.id });
    return { duplicateOf };
  }
  const original = linkOriginal(url);
  const place = { tenantId, storageConfigId };
  const objectKey = originalKey(place, fileId, randomBytes(6).toString('hex'));
  await claimObject(em.fork(), objectKey);
  await objects.put(objectKey, Buffer.from(original), { contentType: LINK_CONTENT_TYPE });
  return acceptUpload({ em: em.fork(), objects }, principal, {
    ...attributes,
    fileId,
    objectKey,
    filename,
    sourceUrl: url,
    sizeBytes: original.length,
    sha256: createHash('sha256').update(original).digest('hex'),
    mediaType: 'link',
    contentType: LINK_CONTENT_TYPE,
    format: LINK_FORMAT,
    ...(session && { session }),
  });
}
