import type { Logger } from 'pino';
import { textModelSettings } from '../adapters/models/text-embedding/create-text-embedding.ts';
import type { VectorIndex } from '../adapters/vector-index/vector-index.ts';
import { chunkCollection } from '../services/documents/index-chunks.ts';
import { wordsToRebuild } from '../services/documents/rebuild-words.ts';
import { CHUNK_VECTORS } from '../services/documents/served-chunks.ts';
import { imageCollection, IMAGE_VECTORS } from '../services/images/served-images.ts';
import { needsRebuild, recordCollection, RECORDED_EVERY_MS } from '../services/media/vector-collections.ts';
import { startWorkflow } from '../temporal/start-workflow.ts';
import type { WorkerDeps } from './deps.ts';
import type { WorkerSettings } from './settings.ts';
import { REBUILD_INDEX } from '../temporal/contract/indexes.ts';

/**
 * Records the models of this worker, now and every five minutes, and starts a rebuild of each index while it has vectors of
 * another model than that of the workers which started last, and of the words of files while they are of other functions than
 * the database has. This also finds what other workers have written since, and repeats a start that was lost. A running rebuild is
 * joined. Also maintains the indexes. @returns a function that stops it
 */
export function keepIndexes(
  {
    orm,
    engine,
    embedding,
    textEmbedding,
    vectors,
    chunkVectors,
  }: Pick<WorkerDeps, 'orm' | 'engine' | 'embedding' | 'textEmbedding' | 'vectors' | 'chunkVectors'>,
  config: WorkerSettings,
  log: Logger,
): () => void {
  const { model } = embedding;
  const kept = [
    { kind: IMAGE_VECTORS, vectors, model, collection: imageCollection(embedding), settings: { model } },
    {
      kind: CHUNK_VECTORS,
      vectors: chunkVectors,
      model: textEmbedding.model,
      collection: chunkCollection(textEmbedding),
      settings: textModelSettings(config, textEmbedding),
    },
  ];

  async function check({ kind, model, collection, settings }: (typeof kept)[number]): Promise<void> {
    const index = kind.indexName;
    try {
      const em = orm.em.fork();
      await recordCollection(em, kind, collection, settings, process.uptime());
      if (!(await needsRebuild(em, kind, collection.collection))) return;
      log.info({ index, model }, 'files have vectors of another model: they are rebuilt in the background');
      await startWorkflow(engine, REBUILD_INDEX, { index, collection: collection.collection });
    } catch (error) {
      log.warn(
        { err: error, index, model },
        'the vectors could not be compared with the model; repeated soon',
      );
    }
  }

  async function checkWords(): Promise<void> {
    try {
      const functions = await wordsToRebuild(orm.em.fork());
      if (functions === undefined) return;
      log.info('the functions of words have changed: the words of files are made anew in the background');
      await startWorkflow(engine, REBUILD_INDEX, { index: 'words', collection: functions });
    } catch (error) {
      log.warn({ err: error }, 'the words could not be compared with their functions; repeated soon');
    }
  }

  const maintaining = new Set<VectorIndex>();

  async function maintain({ kind, vectors: index }: (typeof kept)[number]): Promise<void> {
    if (maintaining.has(index)) return;
    maintaining.add(index);
    try {
      await index.maintain();
    } catch (error) {
      log.warn({ err: error, index: kind.indexName }, 'the index was not maintained; repeated soon');
    } finally {
      maintaining.delete(index);
    }
  }

  const checkAll = () => {
    void checkWords();
    kept.forEach((one) => {
      void check(one);
      void maintain(one);
    });
  };
  checkAll();
  const timer = setInterval(checkAll, RECORDED_EVERY_MS);
  return () => clearInterval(timer);
}
