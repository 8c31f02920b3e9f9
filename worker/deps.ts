import { Counter } from 'prom-client';
import { createDocumentReader } from '../engines/document-reader/create-document-reader.ts';
import type { DocumentReader } from '../engines/document-reader/document-reader.ts';
import { createScreenshots, type Screenshots } from '../adapters/browser/screenshots.ts';
import { createProcessPool } from '../engines/hosts/process-pool.ts';
import { createSecretCipher, type SecretCipher } from '../adapters/encryption/secret-cipher.ts';
import type { AllowedFolder } from '../adapters/source-folder/allowed-folder.ts';
import { createGoogleSheets, type GoogleSheets } from '../adapters/google-sheets/google-sheets.ts';
import { createMailer } from '../adapters/mail/create-mailer.ts';
import type { Mailer } from '../adapters/mail/mailer.ts';
import { createImageDecoder, type ImageDecoder } from '../engines/image-decoder/image-decoder.ts';
import { createImageEmbedding } from '../adapters/models/image-embedding/create-image-embedding.ts';
import type { ImageEmbedding } from '../adapters/models/image-embedding/image-embedding.ts';
import { createPpocrRecogniser, findTextModels } from '../engines/text-recogniser/ppocr-recogniser.ts';
import { createTesseractRecogniser } from '../engines/text-recogniser/tesseract-recogniser.ts';
import type { TextRecogniser } from '../engines/text-recogniser/text-recogniser.ts';
import { createTextEmbedding } from '../adapters/models/text-embedding/create-text-embedding.ts';
import type { TextEmbedding } from '../adapters/models/text-embedding/text-embedding.ts';
import { createSight } from '../adapters/models/sight/sight.ts';
import { visionEndpoints } from '../adapters/models/vision/config.ts';
import { createVisionModels, type VisionModels } from '../adapters/models/vision/vision-models.ts';
import type { AddressGuard } from '../adapters/outbound/address-guard.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import { createS3ObjectStore } from '../adapters/object-store/s3-object-store.ts';
import {
  createPassageRanker,
  type PassageRanker,
} from '../adapters/models/passage-ranking/passage-ranker.ts';
import { createTextWork, type TextWork } from '../engines/text-work/text-work.ts';
import { createFindFfmpeg } from '../engines/video-reader/find-ffmpeg.ts';
import { createVideoReader, type VideoReader } from '../engines/video-reader/video-reader.ts';
import { createVectorIndexes } from '../adapters/vector-index/create-vector-index.ts';
import type { VectorIndex } from '../adapters/vector-index/vector-index.ts';
import { createWebhookSender, type WebhookSender } from '../adapters/webhook-sender/webhook-sender.ts';
import { createWebFetch, type WebFetch } from '../adapters/web-fetch/web-fetch.ts';
import { createPageParser, type PageParser } from '../engines/page-parser/page-parser.ts';
import { createRobots, type Robots } from '../adapters/web-fetch/robots.ts';
import { createOrm, type Orm } from '../db/create-orm.ts';
import { registerMedia } from '../services/all-media.ts';
import { CHUNK_VECTORS } from '../services/documents/served-chunks.ts';
import { removingFromAll, type OpenIndex } from '../services/media/vector-collections.ts';
import { chunkCollection } from '../services/documents/index-chunks.ts';
import { imageCollection, IMAGE_VECTORS } from '../services/images/served-images.ts';
import { createDocumentCache, type DocumentCache } from '../services/documents/document-cache.ts';
import { createHostSlots, type HostSlots } from '../services/links/host-slots.ts';
import { createTenantStores } from '../services/storage/tenant-stores.ts';
import { createPartBuffers, type PartBuffers } from '../services/uploads/streaming/part-buffers.ts';
import { createEngine, type Engine, type ReportUnreached } from '../temporal/client.ts';
import type { RetryResult } from '../temporal/contract/retry-webhook.ts';
import { videoDecoders } from './config.ts';
import type { WorkerSettings } from './settings.ts';

/** The dependencies of the activities of all queues. */
export interface WorkerDeps {
  orm: Orm;
  engine: Engine;
  objects: ObjectStore;
  decoder: ImageDecoder;
  recogniser: TextRecogniser;
  ocrSlots: number;
  embedding: ImageEmbedding;
  /** Vectors of images. */
  vectors: VectorIndex;
  textEmbedding: TextEmbedding;
  /** Index of the chunks of documents. */
  chunkVectors: VectorIndex;
  /** Opens the vectors that another model has made. */
  openIndex: OpenIndex;
  indexSlots: number;
  reader: DocumentReader;
  copies: DocumentCache;
  videoReader: VideoReader;
  models: VisionModels;
  text: TextWork;
  ranker: PassageRanker;
  /** Calls per second by provider; absent providers have no limit. */
  visionRates: Readonly<Record<string, number>>;
  sweepSeconds: number;
  /** Aborted when the worker stops, so that long work is handed over to another worker. */
  stopping: AbortSignal;
  mailer: Mailer;
  cipher: SecretCipher;
  /** For buckets of tenants. */
  bucketGuard: AddressGuard;
  importFolders: readonly AllowedFolder[];
  /** Undefined if no Google client is configured. */
  sheets: GoogleSheets | undefined;
  web: WebFetch;
  /** Checks the robots.txt rules of the sites of links. */
  robots: Robots;
  pages: PageParser;
  hosts: HostSlots;
  /** Undefined if no browser is configured. */
  screenshots: Screenshots | undefined;
  sender: WebhookSender;
  onWebhookAttempt: (outcome: RetryResult['outcome']) => void;
  partBuffers: PartBuffers;
}

const webhookAttempts = new Counter({
  name: 'darkroom_webhook_attempts_total',
  help: 'Webhook attempts by outcome: delivered, retry, failed permanently, or ended by a cancellation',
  labelNames: ['outcome'],
});

/** A server accepts concurrent writes; an embedded index combines them into one. */
const INDEX_SLOTS = 8;
/** Idle buffers kept for fetched images; most images fit into one. */
const KEPT_BUFFERS = 2;

/** Opens the dependencies of the workers without waiting for any server, except for a model that is not here yet. `close` closes them in reverse order. */
export async function openWorkerDeps(
  config: WorkerSettings,
  reportUnreached?: ReportUnreached,
  stopping = new AbortController().signal,
  tracedCalls?: Parameters<typeof createEngine>[2],
): Promise<{ deps: WorkerDeps; close: () => Promise<void> }> {
  registerMedia();
  const orm = createOrm(config);
  const engine = createEngine(config, reportUnreached, tracedCalls);
  const cipher = createSecretCipher(config);
  const objects = createTenantStores({
    orm,
    main: createS3ObjectStore(config),
    cipher,
    guard: config.OUTBOUND_ALLOWED_NETWORKS,
  });
  const decoder = createImageDecoder({ slots: config.CPU_SLOTS });
  const recognition = { languages: config.OCR_LANGUAGES, slots: config.OCR_SLOTS };
  const recogniser = createPpocrRecogniser({
    ...recognition,
    models: () => findTextModels(config),
    fallback: createTesseractRecogniser(recognition),
  });
  const sight = createSight(config);
  const textEmbedding = await createTextEmbedding(config);
  const embedding = await createImageEmbedding(config, { sight, texts: textEmbedding });
  const indexes = createVectorIndexes(config);
  const stored = { em: () => orm.em.fork(), open: indexes.open };
  const vectors = removingFromAll({ ...stored, ...IMAGE_VECTORS }, imageCollection(embedding));
  const chunkVectors = removingFromAll({ ...stored, ...CHUNK_VECTORS }, chunkCollection(textEmbedding));
  const reader = createDocumentReader({ createPool: createProcessPool, slots: config.CPU_SLOTS });
  const copies = createDocumentCache(objects);
  const videoReader = createVideoReader({
    slots: config.VIDEO_SLOTS,
    decoders: videoDecoders(config),
    findFfmpeg: createFindFfmpeg(config),
  });
  const text = createTextWork({ slots: config.CPU_SLOTS });
  const ranker = createPassageRanker(config);
  const models = createVisionModels(config, text, sight);
  const mailer = createMailer(config);
  const web = createWebFetch(config);
  const pages = createPageParser({ slots: config.CPU_SLOTS });
  const sender = createWebhookSender(config.OUTBOUND_ALLOWED_NETWORKS);
  return {
    deps: {
      orm,
      engine,
      objects,
      decoder,
      recogniser,
      ocrSlots: config.OCR_SLOTS,
      embedding,
      vectors,
      textEmbedding,
      chunkVectors,
      openIndex: indexes.open,
      indexSlots: INDEX_SLOTS,
      reader,
      copies,
      videoReader,
      models,
      text,
      ranker,
      visionRates: Object.fromEntries(
        visionEndpoints(config).flatMap(({ provider, ratePerSecond }) =>
          ratePerSecond === undefined ? [] : [[provider, ratePerSecond]],
        ),
      ),
      sweepSeconds: config.SWEEP_SECONDS,
      stopping,
      mailer,
      cipher,
      bucketGuard: config.OUTBOUND_ALLOWED_NETWORKS,
      importFolders: config.IMPORT_FOLDERS,
      sheets: createGoogleSheets(config),
      web,
      robots: createRobots({ web, parser: pages }),
      pages,
      hosts: createHostSlots(),
      screenshots: createScreenshots(config, config.WEB_FETCH_ALLOWED_NETWORKS),
      sender,
      onWebhookAttempt: (outcome) => webhookAttempts.inc({ outcome }),
      partBuffers: createPartBuffers(KEPT_BUFFERS),
    },
    async close() {
      await textEmbedding.close();
      mailer.close();
      sender.close();
      await indexes.close();
      await embedding.close();
      await sight.close();
      await ranker.close();
      await text.close();
      await pages.close();
      await reader.close();
      await videoReader.close();
      await copies.close();
      await recogniser.close();
      await decoder.close();
      await engine.close();
      await orm.close(true);
    },
  };
}
