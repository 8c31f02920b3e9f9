import type { ImageEmbedding } from '../../adapters/models/image-embedding/image-embedding.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import type { Orm } from '../../db/create-orm.ts';
import type { FileTarget } from '../../services/processing/file-target.ts';
import { indexImage, rebuildImagePage, syncImage } from '../../services/images/index-images.ts';
import type { PurgeCandidate } from '../../temporal/contract/purge-files.ts';
import type { RebuiltPage } from '../../services/media/index-entries.ts';
import { removeFileVectors } from '../../services/trash/remove-file-vectors.ts';
import { attempt } from '../attempt.ts';
import { classifyIndexFailure } from '../failures/classify-index-failure.ts';

export interface SimilarityDeps {
  orm: Orm;
  objects: ObjectStore;
  embedding: ImageEmbedding;
  vectors: VectorIndex;
  chunkVectors: VectorIndex;
}

/** Writes to the vector index, on the `index` queue. */
export function createSimilarityActivities({ orm, ...deps }: SimilarityDeps) {
  return {
    indexImage: (target: FileTarget): Promise<void> =>
      attempt(() => indexImage({ em: orm.em.fork(), ...deps }, target), classifyIndexFailure),

    syncImage: (fileId: string): Promise<void> =>
      attempt(() => syncImage({ em: orm.em.fork(), ...deps }, fileId), classifyIndexFailure),

    removeFileVectors: (files: PurgeCandidate[]): Promise<void> =>
      attempt(() => removeFileVectors({ em: orm.em.fork(), ...deps }, files), classifyIndexFailure),

    rebuildImagePage: (after?: string): Promise<RebuiltPage> =>
      attempt(() => rebuildImagePage({ em: orm.em.fork(), ...deps }, after), classifyIndexFailure),
  };
}
