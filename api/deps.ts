import type { Logger } from 'pino';
import type { GoogleSheets } from '../adapters/google-sheets/google-sheets.ts';
import type { PassageRanker } from '../adapters/models/passage-ranking/passage-ranker.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { AddressGuard } from '../adapters/outbound/address-guard.ts';
import type { VectorIndex } from '../adapters/vector-index/vector-index.ts';
import type { OidcProvider } from '../adapters/oidc/oidc-provider.ts';
import type { CataloguedModel } from '../engines/models/catalogue.ts';
import type { Orm } from '../db/create-orm.ts';
import type { VlmProvider } from '../domain/accounts/vlm-providers.ts';
import type { TrustedProxies } from './http/client-address.ts';
import type { CredentialFailures } from './http/credential-failures.ts';
import type { PeerLimit } from './http/peer-limit.ts';
import type { TenantSlots } from './http/tenant-slots.ts';
import type { PasswordHasher } from '../services/accounts/password.ts';
import type { PartBuffers } from '../services/uploads/streaming/part-buffers.ts';
import type { RequestEvents } from '../services/usage/request-events.ts';
import type { ChannelChanges } from '../services/shared/channel-changes.ts';
import type { UploadMemory } from '../services/uploads/streaming/upload-memory.ts';
import type { PaceLimit } from '../services/uploads/streaming/upload-pace.ts';
import type { BucketAccess } from '../services/storage/tenant-stores.ts';
import type { ServedImages } from '../services/images/served-images.ts';
import type { Engine } from '../temporal/client.ts';
import type { ChunkModel } from '../services/documents/served-chunks.ts';
import type { LiveConnectionLimit } from './live/live-connection-limit.ts';
import type { LiveSockets } from './live/live-sockets.ts';

/** The dependencies of all routes. */
export interface ApiDeps {
  orm: Orm;
  engine: Engine;
  /** Includes the buckets of tenants. */
  objects: ObjectStore;
  bucketAccess: BucketAccess;
  /** For the URLs of links and images. */
  webGuard: AddressGuard;
  /** Origin of presigned URLs of the service's own store. */
  storeOrigin: string;
  vectors: VectorIndex;
  /** The model and the vectors of images that searches use. */
  servedImages: () => Promise<ServedImages>;
  /** The model and the vectors of document chunks that searches use. */
  servedChunks: () => Promise<ChunkModel>;
  /** Puts the passages of a search in order. */
  ranker: PassageRanker;
  /** Models of the service that have not been fetched. */
  missingModels: () => CataloguedModel[];
  uploadMemory: UploadMemory;
  partBuffers: PartBuffers;
  /** Minimum rate of request bodies. */
  bodyPace: PaceLimit;
  /** Time limit of a direct upload. */
  directUploadSeconds: number;
  /** Time limit of a search. */
  searchTimeoutMs: number;
  /** Slots of searches, in lists and in documents. */
  searches: TenantSlots;
  /** Slots of streamed responses. */
  longAnswers: TenantSlots;
  /** Slots of pictures of pages that are being drawn. */
  pageImages: TenantSlots;
  channelChanges: ChannelChanges;
  /** Slots of the polls of live channels. */
  livePolls: TenantSlots;
  /** Limits upload events, which need no key. */
  eventLimit: PeerLimit;
  /** Limits openings of shared files, which need no key. */
  shareLimit: PeerLimit;
  /** Shared by WebSockets and event streams. */
  liveConnectionLimit: LiveConnectionLimit;
  liveSockets: LiveSockets;
  requestEvents: RequestEvents;
  /** Public URL of the service for browsers; absent without a proxy. */
  publicBaseUrl: URL | undefined;
  /** The page of a workflow in the Temporal UI; null if its address is not configured. */
  workflowUrl: (workflowId: string) => string | null;
  trustedProxies: TrustedProxies;
  passwords: PasswordHasher;
  /** Limits attempts with wrong keys and cookies. */
  credentialFailures: CredentialFailures;
  /** Login attempts and similar requests per minute and network; ten times as many per account. */
  authAttemptsPerMinute: number;
  /** Providers of logins by their id; empty if none is configured. */
  oidc: ReadonlyMap<string, OidcProvider>;
  /** Providers of vision models that are configured. */
  visionProviders: readonly VlmProvider[];
  /** Undefined if no Google client is configured. */
  sheets: GoogleSheets | undefined;
  /** How long a request waits for the file of its export. */
  exportWaitSeconds: number;
  log: Logger;
  /** True from the first stop signal; `/readyz` reports it, so that load balancers stop sending requests. */
  draining: () => boolean;
}
