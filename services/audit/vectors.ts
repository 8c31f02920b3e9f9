import { IMAGE_COLLECTION } from '../../domain/search/collections.ts';
import { pointId } from '../similarity/point-id.ts';
import type { Invariant } from './invariant.ts';
import { inspect, walkFiles } from './walk.ts';

export const vectors: Invariant = {
  id: 'I7',
  title: 'exactly one vector per live described image',
  async *check(deps) {
    const expected = new Map<string, number>();
    const described = walkFiles(deps, { mediaType: 'image', deletedAt: null, describedAt: { $ne: null } });
    yield* inspect(described, async ({ id, tenantId, components }) => {
      if (components.description?.status !== 'completed') return undefined;
      expected.set(tenantId, (expected.get(tenantId) ?? 0) + 1);
      const vector = await deps.vectors.find({ tenantId, id: pointId(id, IMAGE_COLLECTION.model) });
      return vector ? undefined : `file ${id} is described and has no vector`;
    });
    for (const [tenantId, count] of expected) {
      const stored = await deps.vectors.count({ tenantId });
      if (stored > count) yield `tenant ${tenantId} has ${stored} vectors for ${count} described images`;
    }
  },
};
