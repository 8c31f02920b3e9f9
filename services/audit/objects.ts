import { DataExport } from '../../db/entities/exports/export.ts';
import { FileRemoval } from '../../db/entities/trash/file-removal.ts';
import { ClaimedObject } from '../../db/entities/uploads/claimed-object.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { PageImage } from '../../db/entities/documents/page-image.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { LinkDetails } from '../../db/entities/links/link-details.ts';
import { VideoFrame } from '../../db/entities/videos/video-frame.ts';
import { DirectUpload } from '../../db/entities/uploads/direct-upload.ts';
import { exportKey, incomingKey, originalPrefix, placeOf, variantsPrefix } from '../../domain/object-keys.ts';
import { isTerminalPrimary } from '../../domain/primary-status.ts';
import { type AuditDeps, type Invariant, inspect, listAll, walk, walkFiles } from './invariant.ts';

/** Also holds while files are uploaded, processed and removed. */
export const objects: Invariant = {
  id: 'I2',
  title:
    'no variant, page image, key frame or screenshot without object, no object without row, claim, upload or export',
  async *check(deps) {
    // Objects are listed before any row is read, so objects stored later are not checked.
    const orphans = new Set<string>();
    const stored = listAll(deps, 'tenants/', (prefix) => deps.objects.list(prefix));
    for await (const { key } of stored) orphans.add(key);
    yield* removeReferenced(deps, orphans);
    yield* inspect(orphans, async (key) =>
      (await deps.objects.stat(key)) ? `object ${key} is orphaned` : undefined,
    );
  },
};

/**
 * Removes the keys that a row accounts for, and yields a line for each variant, page image, key frame and screenshot whose key is
 * neither among them nor in the store. Rows are read in the order in which an object passes through them, so that an
 * object that moves concurrently is not missed: claim or upload, file, variants, page images, key frames and screenshots.
 */
export async function* removeReferenced(
  deps: Pick<AuditDeps, 'em' | 'objects'>,
  orphans: Set<string>,
): AsyncIterable<string> {
  const { em } = deps;
  // Leftovers of uploads still to be cleaned, and variants of changing files, have no row of their own.
  const prefixes = new Set<string>();
  for (const { objectKey } of await em().find(ClaimedObject, {})) orphans.delete(objectKey);
  for await (const { id, tenantId, fileId, objectKey } of walk(em, DirectUpload, {
    cleanAt: { $ne: null },
  })) {
    const place = placeOf(tenantId, objectKey);
    orphans.delete(incomingKey(place, id));
    prefixes.add(originalPrefix(place, fileId));
  }
  for (const { objectKeys } of await em().find(
    SchemaExtraction,
    { status: 'processing' },
    { fields: ['objectKeys'] },
  )) {
    for (const key of objectKeys) orphans.delete(key);
  }
  for await (const { id, tenantId } of walk(em, DataExport)) orphans.delete(exportKey(tenantId, id));
  for await (const { id, tenantId, objectKey, primaryStatus, deletedAt } of walkFiles(deps)) {
    orphans.delete(objectKey);
    if (deletedAt || !isTerminalPrimary(primaryStatus))
      prefixes.add(variantsPrefix(placeOf(tenantId, objectKey), id));
  }
  const missing = async (
    what: string,
    { fileId, key }: { fileId: string; key: string },
    rows: () => Promise<number>,
  ) => {
    const listed = orphans.delete(key);
    if (listed || (await deps.objects.stat(key))) return undefined;
    const purged = await em().count(FileRemoval, { fileId, beganAt: { $ne: null } });
    const kept = purged === 0 && (await rows()) > 0;
    return kept ? `${what} ${key} has no object` : undefined;
  };
  const variants = await em().find(FileVariant, {}, { fields: ['objectKey'] });
  yield* inspect(variants, ({ fileId, type, objectKey: key }) =>
    missing('variant', { fileId, key }, () => em().count(FileVariant, { fileId, type })),
  );
  const drawn = await em().find(PageImage, { objectKey: { $ne: null } }, { fields: ['objectKey'] });
  yield* inspect(drawn, ({ fileId, objectKey }) =>
    missing('page image', { fileId, key: objectKey ?? '' }, () =>
      em().count(PageImage, { fileId, objectKey }),
    ),
  );
  const frames = await em().find(
    VideoFrame,
    { objectKey: { $ne: null } },
    { fields: ['objectKey', 'smallKey'] },
  );
  const pictures = frames.flatMap(({ fileId, objectKey, smallKey }) =>
    [objectKey, smallKey].flatMap((key) => (key ? { fileId, objectKey, key } : [])),
  );
  yield* inspect(pictures, ({ objectKey, ...picture }) =>
    missing('key frame', picture, () => em().count(VideoFrame, { objectKey })),
  );
  const pages = await em().find(LinkDetails, { screenshotKey: { $ne: null } }, { fields: ['screenshotKey'] });
  yield* inspect(pages, ({ fileId, screenshotKey }) =>
    missing('screenshot', { fileId, key: screenshotKey ?? '' }, () =>
      em().count(LinkDetails, { fileId, screenshotKey }),
    ),
  );
  for (const key of orphans) {
    if (prefixes.has(key.slice(0, key.lastIndexOf('-') + 1))) orphans.delete(key);
    if (prefixes.has(key.slice(0, key.lastIndexOf('/') + 1))) orphans.delete(key);
  }
}
