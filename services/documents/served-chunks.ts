import type { EntityManager } from '@mikro-orm/postgresql';
import type { TextEmbedding } from '../../adapters/models/text-embedding/text-embedding.ts';
import { ModelError } from '../../adapters/models/model-error.ts';
import type { VectorIndex } from '../../adapters/vector-index/vector-index.ts';
import type { StoredCollection } from '../../db/entities/shared/stored-collection.ts';
import { createServedModel, type OpenIndex, type VectorKind } from '../media/vector-collections.ts';
import { chunkCollection } from './index-chunks.ts';

const COMPLETED = `from document_chunks where embedding_status = 'completed'`;

/**
 * Vectors of the chunks of documents. The least and the greatest name are the ends of an index, so that no chunk is read;
 * those of documents in the trash name none.
 */
export const CHUNK_VECTORS: VectorKind = {
  indexName: 'chunks',
  isElsewhere: `coalesce((select min(collection) ${COMPLETED}) <> own.collection
    or (select max(collection) ${COMPLETED}) <> own.collection, false)`,
};

/** A model and the vectors that it made: a question is compared only with vectors of its own model. */
export interface ChunkModel {
  textEmbedding: TextEmbedding;
  chunkVectors: VectorIndex;
}

interface Options {
  em: () => EntityManager;
  configured: TextEmbedding;
  openIndex: OpenIndex;
  /** Opens a model from the settings that name it. */
  openModel: (settings: Readonly<Record<string, unknown>>) => Promise<TextEmbedding>;
  /** Called when the model of the stored vectors cannot be opened; documents are found by words until it is, or are rebuilt. */
  onUnusable: (error: unknown) => void;
}

/** The model and the vectors that searches use, see createServedModel. */
export function createServedChunks({ em, configured, ...open }: Options) {
  const own = chunkCollection(configured);
  return createServedModel<ChunkModel>({
    em,
    indexName: CHUNK_VECTORS.indexName,
    configured: {
      collection: own.collection,
      model: { textEmbedding: configured, chunkVectors: open.openIndex(own) },
    },
    openFormer: (former) => openFormer(former, open),
    async closeFormer({ textEmbedding, chunkVectors }) {
      await chunkVectors.close();
      await textEmbedding.close();
    },
  });
}

function openFormer(
  { collection, dimension, settings }: StoredCollection,
  { openIndex, openModel, onUnusable }: Omit<Options, 'em' | 'configured'>,
): ChunkModel {
  const opening = openModel(settings).then(async (model) => {
    if (chunkCollection(model).collection === collection) return model;
    await model.close();
    throw new Error(`the settings of collection ${collection} now name another model`);
  });
  opening.catch(onUnusable);
  return {
    textEmbedding: onceOpened({ model: collection, dimension }, opening),
    chunkVectors: openIndex({ collection, dimension, searchedByFile: true }),
  };
}

/** A model that is unavailable, so that searches go on by words, until it is open. */
function onceOpened(
  named: Pick<TextEmbedding, 'model' | 'dimension'>,
  opening: Promise<TextEmbedding>,
): TextEmbedding {
  let opened: TextEmbedding | undefined;
  let whyNot = new ModelError('MODEL_UNAVAILABLE', 'the model of the stored vectors is being opened');
  opening.then(
    (model) => (opened = model),
    (cause: unknown) => {
      const message = 'the model of the stored vectors is gone until they are rebuilt';
      whyNot = new ModelError('MODEL_UNAVAILABLE', message, { cause });
    },
  );
  return {
    ...named,
    get language() {
      return opened?.language;
    },
    get mostSimilar() {
      return opened?.mostSimilar;
    },
    get weight() {
      return opened?.weight;
    },
    embed: (texts, options) => (opened ? opened.embed(texts, options) : Promise.reject(whyNot)),
    async close() {
      if (opened) return opened.close();
      // Not waited for: nothing limits how long it takes to open.
      opening.then(
        (model) => model.close(),
        () => undefined,
      );
    },
  };
}
