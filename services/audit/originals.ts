import { createHash } from 'node:crypto';
import { ObjectNotFound } from '../../adapters/object-store/errors.ts';
import { DeletionReceipt } from '../../db/entities/trash/deletion-receipt.ts';
import { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { AuditDeps, Invariant } from './invariant.ts';
import { inspect, walkFiles } from './walk.ts';

export const originals: Invariant = {
  id: 'I1',
  title: 'every acknowledged file has row, object and equal SHA-256, or the receipt of a purge',
  async *check(deps) {
    yield* inspect(deps.acknowledged, async ({ fileId, sha256 }) => {
      const file =
        (await deps.em().findOne(StoredFile, { id: fileId })) ??
        (await deps.em().findOne(DeletionReceipt, { fileId }));
      if (!file) return `file ${fileId} was acknowledged and has neither row nor receipt`;
      if (file.sha256 !== sha256) return `file ${fileId} has a different SHA-256 than was sent`;
      return undefined;
    });
    yield* inspect(walkFiles(deps), async (file) => {
      const stored = await digest(deps, file.objectKey);
      if (!stored) return `file ${file.id} has no object (${file.objectKey})`;
      if (stored.sha256 !== file.sha256) return `the object of file ${file.id} has a different SHA-256`;
      if (stored.sizeBytes !== file.sizeBytes) return `the object of file ${file.id} has a different size`;
      return undefined;
    });
  },
};

async function digest({ objects }: AuditDeps, key: string) {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  try {
    for await (const chunk of await objects.open(key)) {
      hash.update(chunk as Buffer);
      sizeBytes += (chunk as Buffer).length;
    }
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined;
    throw error;
  }
  return { sha256: hash.digest('hex'), sizeBytes };
}
