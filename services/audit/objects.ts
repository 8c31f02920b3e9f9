import { ClaimedObject } from '../../db/entities/uploads/claimed-object.ts';
import { FileVariant } from '../../db/entities/files/file-variant.ts';
import { UploadIntent } from '../../db/entities/uploads/upload-intent.ts';
import { incomingKey, originalPrefix } from '../../domain/object-keys.ts';
import type { Invariant } from './invariant.ts';
import { inspect, walk, walkFiles } from './walk.ts';

export const objects: Invariant = {
  id: 'I2',
  title: 'no variant without object, no object without row, claim or intent',
  async *check(deps) {
    const known = new Set<string>();
    for await (const { objectKey } of walkFiles(deps)) known.add(objectKey);
    for (const { objectKey } of await deps.em().find(ClaimedObject, {})) known.add(objectKey);
    const variants = await deps.em().find(FileVariant, {}, { fields: ['objectKey'] });
    yield* inspect(variants, async ({ objectKey }) => {
      known.add(objectKey);
      return (await deps.objects.stat(objectKey)) ? undefined : `variant ${objectKey} has no object`;
    });

    // Leftovers of uploads that are still to be cleaned are allowed until then.
    const prefixes = new Set<string>();
    for await (const { id, tenantId, fileId } of walk(deps.em, UploadIntent, { cleanAt: { $ne: null } })) {
      known.add(incomingKey(tenantId, id));
      prefixes.add(originalPrefix(tenantId, fileId));
    }
    for await (const { key } of deps.objects.list('tenants/')) {
      const prefix = key.slice(0, key.lastIndexOf('-') + 1);
      if (!known.has(key) && !prefixes.has(prefix)) yield `object ${key} is orphaned`;
    }
  },
};
