import { OPEN_STATUSES } from '../../domain/primary-status.ts';
import { IMAGE_COLLECTION } from '../../domain/search/collections.ts';
import { pointId } from '../similarity/point-id.ts';
import type { AuditDeps, Invariant } from './invariant.ts';
import { inspect, walkFiles } from './walk.ts';

/** Holds also while files arrive, are processed and removed. */
export const vectors: Invariant = {
  id: 'I7',
  title: 'exactly one vector per live described image',
  async *check(deps) {
    const began = new Date();
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
      if (stored <= count || stored <= count + (await countChanging(deps, tenantId, began))) continue;
      yield `tenant ${tenantId} has ${stored} vectors for ${count} described images`;
    }
  },
};

/** Vectors of files that may have been described or deleted since the audit read their rows. */
async function countChanging(deps: AuditDeps, tenantId: string, since: Date): Promise<number> {
  const fileIds: string[] = [];
  const after = { $gte: since };
  const changing = [{ primaryStatus: { $in: OPEN_STATUSES } }, { updatedAt: after }, { deletedAt: after }];
  for await (const { id } of walkFiles(deps, { tenantId, mediaType: 'image', $or: changing }))
    fileIds.push(id);
  return fileIds.length === 0 ? 0 : deps.vectors.count({ tenantId, fileIds });
}
