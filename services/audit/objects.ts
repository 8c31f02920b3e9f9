import { DataExport } from '../../db/entities/exports/export.ts';
import { FileRemoval } from '../../db/entities/trash/file-removal.ts';
import { ClaimedObject } from '../../db/entities/uploads/claimed-object.ts';
import { SchemaExtraction } from '../../db/entities/structured-extraction/schema-extraction.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { VideoFrame } from '../../db/entities/videos/video-frame.ts';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { exportKey, incomingKey, originalPrefix, placeOf, variantsPrefix } from '../../domain/object-keys.ts';
import { isTerminalPrimary } from '../../domain/primary-status.ts';
import { type AuditDeps, type Invariant, inspect, listAll, walk, walkFiles } from './invariant.ts';

/** Also holds while files arrive, are processed and are removed. */
export const objects: Invariant = {
  id: 'I2',
  title: 'no variant without object, no object without row, claim, intent or export',
  async *check(deps) {
    // Listed before any row is read: objects stored later are not checked.
    const orphans = new Set<string>();
    const stored = listAll(deps, 'tenants/', (prefix) => deps.objects.list(prefix));
    for await (const { key } of stored) orphans.add(key);
    yield* removeKnown(deps, orphans);
    yield* inspect(orphans, async (key) =>
      (await deps.objects.stat(key)) ? `object ${key} is orphaned` : undefined,
    );
  },
};

/**
 * Removes keys that a row accounts for, and yields variants without object. Rows are read in the order in which an
 * object passes through them, so that an object that moves meanwhile is not missed: claim or intent, file, variants.
 */
async function* removeKnown(deps: AuditDeps, orphans: Set<string>): AsyncIterable<string> {
  const { em } = deps;
  // Leftovers of uploads still to be cleaned, and variants of changing files, have no row of their own.
  const prefixes = new Set<string>();
  for (const { objectKey } of await em().find(ClaimedObject, {})) orphans.delete(objectKey);
  for await (const { id, tenantId, fileId, objectKey } of walk(em, UploadIntent, {
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
  for (const { objectKey, smallKey } of await em().find(
    VideoFrame,
    {},
    { fields: ['objectKey', 'smallKey'] },
  )) {
    for (const key of [objectKey, smallKey]) if (key) orphans.delete(key);
  }
  const variants = await em().find(FileVariant, {}, { fields: ['objectKey'] });
  yield* inspect(variants, async ({ fileId, type, objectKey }) => {
    const listed = orphans.delete(objectKey);
    if (listed || (await deps.objects.stat(objectKey))) return undefined;
    const purged = await em().count(FileRemoval, { fileId, beganAt: { $ne: null } });
    const kept = purged === 0 && (await em().count(FileVariant, { fileId, type })) > 0;
    return kept ? `variant ${objectKey} has no object` : undefined;
  });
  for (const key of orphans) {
    if (prefixes.has(key.slice(0, key.lastIndexOf('-') + 1))) orphans.delete(key);
    if (prefixes.has(key.slice(0, key.lastIndexOf('/') + 1))) orphans.delete(key);
  }
}
