import { log } from '@temporalio/activity';
import type { ImageEmbedding } from '../adapters/models/image-embedding/image-embedding.ts';
import type { TextEmbedding } from '../adapters/models/text-embedding/text-embedding.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import {
  isFileMissing,
  type VectorCollection,
  type VectorIndex,
} from '../adapters/vector-index/vector-index.ts';
import type { Orm } from '../db/create-orm.ts';
import {
  chunkCollection,
  indexChunks,
  syncChunks,
  rebuildChunkPage,
} from '../services/documents/index-chunks.ts';
import { endWordsRebuild, rebuildWordsPage } from '../services/documents/rebuild-words.ts';
import type { FileTarget } from '../services/processing/file-target.ts';
import { indexImage, rebuildImagePage, syncImage } from '../services/images/index-images.ts';
import { imageCollection, IMAGE_VECTORS } from '../services/images/served-images.ts';
import { CHUNK_VECTORS } from '../services/documents/served-chunks.ts';
import {
  endRebuildPass,
  sharesRebuild,
  type OpenIndex,
  type VectorKind,
} from '../services/media/vector-collections.ts';
import type { RebuiltPage } from '../services/media/index-entries.ts';
import { removeFileVectors } from '../services/trash/remove-files.ts';
import type { Engine } from '../temporal/client.ts';
import type { IndexName, RebuiltIndex } from '../temporal/contract/indexes.ts';
import type { PurgeCandidate } from '../temporal/contract/purge-files.ts';
import { attempt, type AttemptControls, type FailureClass } from './attempt.ts';
import {
  classifyDocumentFailure,
  classifyImageIndexFailure,
  classifyIndexFailure,
} from './classify-failures.ts';
import { BEFORE_ALL } from '../services/shared/sql.ts';

export interface IndexDeps {
  orm: Orm;
  engine: Engine;
  objects: ObjectStore;
  embedding: ImageEmbedding;
  /** Vectors of images. */
  vectors: VectorIndex;
  textEmbedding: TextEmbedding;
  chunkVectors: VectorIndex;
  /** Opens the vectors that another model has made. */
  openIndex: OpenIndex;
}

/** A page of the rebuild of a collection, after the file with this id. */
interface RebuildIndexPage {
  index: RebuiltIndex;
  collection: string;
  after?: string;
}

interface IndexWork {
  kind: VectorKind;
  /** Of the configured model. */
  collection: VectorCollection;
  vectors: VectorIndex;
  sync: (fileId: string, controls: AttemptControls) => Promise<void>;
  rebuildPage: (after: string | undefined, controls: AttemptControls) => Promise<RebuiltPage>;
  classify: (error: unknown) => FailureClass | undefined;
}

/** Writes to the vector indexes, on the `index` queue. */
export function createIndexActivities({ orm, ...given }: IndexDeps) {
  const deps = () => ({ em: orm.em.fork(), ...given });
  const indexes: Readonly<Record<IndexName, IndexWork>> = {
    images: {
      kind: IMAGE_VECTORS,
      collection: imageCollection(given.embedding),
      vectors: given.vectors,
      sync: (fileId, { signal }) => syncImage(deps(), fileId, signal),
      rebuildPage: (after, { signal }) => rebuildImagePage(deps(), after, signal),
      classify: classifyImageIndexFailure,
    },
    chunks: {
      kind: CHUNK_VECTORS,
      collection: chunkCollection(given.textEmbedding),
      vectors: given.chunkVectors,
      sync: (fileId, { signal }) => syncChunks(deps(), fileId, signal),
      rebuildPage: (after, { signal }) => rebuildChunkPage(deps(), after, signal),
      classify: classifyDocumentFailure,
    },
  };

  return {
    indexImage: (target: FileTarget): Promise<void> =>
      attempt(({ signal }) => indexImage(deps(), target, signal), classifyImageIndexFailure),

    indexChunks: (target: FileTarget): Promise<void> =>
      attempt(({ signal }) => indexChunks(deps(), target, signal), classifyDocumentFailure),

    syncIndexEntries: ({ index, fileId }: { index: IndexName; fileId: string }): Promise<void> =>
      attempt((controls) => indexes[index].sync(fileId, controls), indexes[index].classify),

    rebuildIndexPage: ({ index, collection: wanted, after }: RebuildIndexPage): Promise<RebuiltPage> => {
      if (index === 'words')
        return attempt(() => rebuildWordsPage(orm.em.fork(), wanted, after), classifyIndexFailure);
      const { kind, collection, vectors, rebuildPage, classify } = indexes[index];
      return attempt(async (controls) => {
        const shared = await sharesRebuild(orm.em.fork(), kind, { wanted, own: collection.collection });
        if (!shared) return { indexed: 0, leftOut: [] };
        const page = await rebuildPage(after, controls).catch(async (error: unknown) => {
          if (!isFileMissing(error) || !(await vectors.repair())) throw error;
          log.warn('an index with missing files was removed; its rebuild begins anew', { index, error });
          return { indexed: 0, leftOut: [], after: BEFORE_ALL };
        });
        for (const left of page.leftOut) log.warn('a file is left without a vector', { index, ...left });
        return page;
      }, classify);
    },

    endRebuildPass: ({ index, collection }: Omit<RebuildIndexPage, 'after'>): Promise<boolean> =>
      attempt(async () => {
        const em = orm.em.fork();
        if (index !== 'words') return endRebuildPass(em, indexes[index].kind, collection, given.openIndex);
        await endWordsRebuild(em, collection);
        return true;
      }, classifyIndexFailure),

    removeFileVectors: (files: PurgeCandidate[]): Promise<void> =>
      attempt(() => removeFileVectors(deps(), files), classifyIndexFailure),
  };
}
