import { createSecretCipher } from '../adapters/encryption/secret-cipher.ts';
import { hideMemory } from '../engines/hosts/containment/hide-memory.ts';
import { createLog, exitOnDefect } from '../adapters/log/create-log.ts';
import { watchLoop } from '../adapters/loop-watch/watch-loop.ts';
import { collectProcessMetrics } from '../adapters/process-metrics.ts';
import { createGoogleSheets } from '../adapters/google-sheets/google-sheets.ts';
import {
  createImageEmbedding,
  openOwnModel,
} from '../adapters/models/image-embedding/create-image-embedding.ts';
import { SIGHT_MODEL } from '../adapters/models/image-embedding/sight-embedding.ts';
import { missingModels } from '../engines/models/catalogue.ts';
import { createPassageRanker } from '../adapters/models/passage-ranking/passage-ranker.ts';
import {
  createFormerTextEmbedding,
  createTextEmbedding,
} from '../adapters/models/text-embedding/create-text-embedding.ts';
import { visionEndpoints } from '../adapters/models/vision/config.ts';
import { createOidcProviders } from '../adapters/oidc/oidc-provider.ts';
import { createS3ObjectStore } from '../adapters/object-store/s3-object-store.ts';
import { publicS3Url } from '../adapters/object-store/s3-request.ts';
import { startTracing } from '../adapters/tracing/start-tracing.ts';
import { createVectorIndexes } from '../adapters/vector-index/create-vector-index.ts';
import { directDatabase } from '../db/config.ts';
import { createOrm } from '../db/create-orm.ts';
import { MAX_LIVE_CONNECTIONS, MAX_LIVE_SUBSCRIPTIONS } from '../domain/limits.ts';
import { readConfig } from '../domain/schemas/read-config.ts';
import { registerMedia } from '../services/all-media.ts';
import { createPasswordHasher } from '../services/accounts/password.ts';
import { createServedChunks } from '../services/documents/served-chunks.ts';
import { createServedImages, imageCollection } from '../services/images/served-images.ts';
import { createChannelChanges } from '../services/shared/channel-changes.ts';
import { createTenantStores } from '../services/storage/tenant-stores.ts';
import { createPartBuffers } from '../services/uploads/streaming/part-buffers.ts';
import { createRequestEvents } from '../services/usage/request-events.ts';
import { createUploadMemory } from '../services/uploads/streaming/upload-memory.ts';
import { createEngine } from '../temporal/client.ts';
import { createWorkflowUrl } from '../temporal/workflow-url.ts';
import { createApp } from './app.ts';
import { createApiServer } from './create-server.ts';
import { reportDropped } from './http/usage-event.ts';
import { createCredentialFailures } from './http/credential-failures.ts';
import { createPeerLimit } from './http/peer-limit.ts';
import { createTenantSlots, LONG_ANSWERS } from './http/tenant-slots.ts';
import { createLiveConnectionLimit } from './live/live-connection-limit.ts';
import { createLiveSockets } from './live/live-sockets.ts';
import { API_SETTINGS } from './settings.ts';
import { registerInstallationMetrics } from './installation-metrics.ts';
import { runReconciler } from './reconciler-loop.ts';

/**
 * A program may try a wrong key a few times before it stops, and several run behind one address; each costs a lookup,
 * not an argon2 hash.
 */
const WRONG_CREDENTIALS_PER_ATTEMPT = 12;
/** Idle upload buffers to keep: 16 × 5 MiB. */
const KEPT_PART_BUFFERS = 16;
/**
 * Maximum number of concurrent upload events from one address. Each takes milliseconds, so all clients behind
 * one proxy can send thousands per second.
 */
const MAX_OPEN_EVENTS = 100;
/** From one address. */
const SHARES_OPENED = { requestsPerMinute: 60, openRequests: 10 };
/** Per tenant: each may keep two database connections busy until its time limit. */
/** As many as a reader of a document has in sight, while the others wait for the workers. */
const PAGE_IMAGES = { atOnce: 4, waiting: 16, waitMs: 15_000 };
const SEARCHES = { atOnce: 3, waiting: 16, waitMs: 3_000 };
/**
 * Per tenant: each takes up to 10 ms of this process and queries the engine; all channels of the tenant may
 * queue.
 */
const LIVE_POLLS = {
  atOnce: 2,
  waiting: MAX_LIVE_CONNECTIONS * MAX_LIVE_SUBSCRIPTIONS,
  waitMs: 60_000,
};
/** Longest wait for requests in progress after a stop signal. */
const DRAIN_MS = 15_000;

/** `node api/main.ts`: serves the API until SIGTERM or SIGINT, then finishes the requests in progress. */
// On a machine of a single user, keys are in files of that user anyway.
if (process.env['NODE_ENV'] === 'production') await hideMemory();
const config = readConfig(API_SETTINGS, process.env);
const logging = { level: config.LOG_LEVEL, base: { service: 'api' } };
const tracing = await startTracing(config, 'api', (error) =>
  log.warn({ err: error }, 'spans are lost: the collector of traces did not take them'),
);
const log = createLog(logging);
exitOnDefect(log);
collectProcessMetrics();
registerMedia();

const orm = createOrm(config);
// Notifications need a database session, which a pooler in transaction mode does not provide.
const listeningOrm =
  config.DATABASE_DIRECT_URL === undefined
    ? orm
    : createOrm({ ...directDatabase(config), DATABASE_POOL_SIZE: 1 });
const engine = createEngine(
  config,
  (error, ids) =>
    log.warn({ err: error, ...ids }, 'the workflow engine was not reached; the sweep repeats this'),
  tracing?.workflowCalls,
);
const bucketAccess = { cipher: createSecretCipher(config), guard: config.OUTBOUND_ALLOWED_NETWORKS };
const objects = createTenantStores({ orm, main: createS3ObjectStore(config), ...bucketAccess });
const textEmbedding = await createTextEmbedding(config);
const imageEmbedding = await createImageEmbedding(config, { texts: textEmbedding });
const indexes = createVectorIndexes(config);
const servedImages = createServedImages({
  em: () => orm.em.fork(),
  configured: imageEmbedding,
  openIndex: indexes.open,
  openModel: (model) => (model === SIGHT_MODEL ? openOwnModel(config, { texts: textEmbedding }) : undefined),
});
const servedChunks = createServedChunks({
  em: () => orm.em.fork(),
  configured: textEmbedding,
  openIndex: indexes.open,
  openModel: (settings) => createFormerTextEmbedding(config, settings),
  onUnusable: (error) =>
    log.warn(
      { err: error },
      'the model of the stored vectors cannot be opened; until they are rebuilt, documents are found by words',
    ),
});
const ranker = createPassageRanker(config);
const uploadMemory = createUploadMemory({
  globalBytes: config.UPLOAD_MEMORY_BYTES,
  tenantBytes: config.UPLOAD_MEMORY_BYTES_PER_TENANT,
});
const channelChanges = createChannelChanges(listeningOrm, (error) =>
  log.warn({ err: error }, 'cannot listen for database notifications; live channels fall back to polling'),
);
const liveSockets = createLiveSockets({ pingSeconds: config.LIVE_PING_SECONDS });
const visionProviders = visionEndpoints(config).map(({ provider }) => provider);
registerInstallationMetrics({ engine, visionProviders, em: () => orm.em.fork() });
const requestEvents = createRequestEvents(orm, reportDropped(log));
const stop = new AbortController();

const app = createApp({
  orm,
  engine,
  objects,
  bucketAccess,
  importFolders: config.IMPORT_FOLDERS,
  webGuard: config.WEB_FETCH_ALLOWED_NETWORKS,
  storeOrigin: publicS3Url(config, '').origin,
  vectors: indexes.open(imageCollection(imageEmbedding)),
  servedImages: servedImages.current,
  servedChunks: servedChunks.current,
  ranker,
  missingModels: () => missingModels(config),
  uploadMemory,
  partBuffers: createPartBuffers(KEPT_PART_BUFFERS),
  bodyPace: {
    bytesPerSecond: config.UPLOAD_MIN_BYTES_PER_SECOND,
    overSeconds: config.UPLOAD_MIN_RATE_SECONDS,
  },
  directUploadSeconds: config.DIRECT_UPLOAD_SECONDS,
  searchTimeoutMs: config.SEARCH_TIMEOUT_MS,
  searches: createTenantSlots({ what: 'searches', ...SEARCHES }),
  longAnswers: createTenantSlots({ what: 'long answers', ...LONG_ANSWERS }),
  pageImages: createTenantSlots({ what: 'pictures of pages', ...PAGE_IMAGES }),
  channelChanges,
  livePolls: createTenantSlots({ what: 'polls of live channels', ...LIVE_POLLS }),
  eventLimit: createPeerLimit({
    requestsPerMinute: config.UPLOAD_EVENTS_PER_MINUTE,
    openRequests: MAX_OPEN_EVENTS,
  }),
  shareLimit: createPeerLimit(SHARES_OPENED),
  liveConnectionLimit: createLiveConnectionLimit(),
  liveSockets,
  requestEvents,
  publicBaseUrl: config.PUBLIC_BASE_URL,
  workflowUrl: createWorkflowUrl(config),
  trustedProxies: config.TRUSTED_PROXIES,
  passwords: createPasswordHasher(),
  authAttemptsPerMinute: config.AUTH_ATTEMPTS_PER_MINUTE,
  credentialFailures: createCredentialFailures({
    failuresPerMinute: config.AUTH_ATTEMPTS_PER_MINUTE * WRONG_CREDENTIALS_PER_ATTEMPT,
  }),
  oidc: createOidcProviders(config),
  visionProviders,
  sheets: createGoogleSheets(config),
  exportWaitSeconds: config.EXPORT_WAIT_SECONDS,
  log,
  draining: () => stop.signal.aborted,
});
const server = createApiServer(app);
// Slow clients may take long to upload, but not to send headers.
server.requestTimeout = 3_600_000;
server.headersTimeout = 20_000;
// Longer than the idle timeout of load balancers, so that none sends on a connection that is being closed.
server.keepAliveTimeout = 65_000;
server.once('error', (error) => {
  log.fatal({ err: error }, `cannot listen on ${config.HOST}:${config.PORT}`);
  process.exit(1);
});
server.listen(config.PORT, config.HOST, () => log.info({ address: server.address() }, 'listening'));
const reconciler = runReconciler({ em: () => orm.em.fork(), engine, log }, stop.signal);
watchLoop(logging);

for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => void shutDown(name));

async function shutDown(reason: string): Promise<void> {
  log.info({ reason }, 'draining');
  stop.abort();
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  liveSockets.close();
  const force = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(force);
  await reconciler;
  await requestEvents.close();
  channelChanges.close();
  await ranker.close();
  await servedImages.close();
  await servedChunks.close();
  await textEmbedding.close();
  await indexes.close();
  await imageEmbedding.close();
  await engine.close();
  if (listeningOrm !== orm) await listeningOrm.close(true);
  await orm.close(true);
  await tracing?.stop();
  log.info('stopped');
}
