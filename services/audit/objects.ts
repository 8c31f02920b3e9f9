import { ClaimedObject } from '../../db/entities/claimed-object.ts';
import { FileVariant } from '../../db/entities/file-variant.ts';
import type { Invariant } from './invariant.ts';
import { inspect, walkFiles } from './walk.ts';

export const objects: Invariant = {
  id: 'I2',
  title: 'no variant without object, no object without row, claim or intent',
  async *check(deps) {
    const known = new Set<string>();
    for await (const { objectKey } of walkFiles(deps)) known.add(objectKey);
    for (const { objectKey } of await deps.em().find(ClaimedObject, {})) known.add(objectKey);
    const variants = await deps.em().find(FileVariant, {}, { fields: ['objectKey'] });
    yield* inspect(stream(variants), async ({ objectKey }) => {
      known.add(objectKey);
      return (await deps.objects.stat(objectKey)) ? undefined : `variant ${objectKey} has no object`;
    });
    for await (const { key } of deps.objects.list('tenants/')) {
      if (!known.has(key)) yield `object ${key} belongs to nothing`;
    }
  },
};

async function* stream<T>(items: readonly T[]): AsyncIterable<T> {
  yield* items;
}
