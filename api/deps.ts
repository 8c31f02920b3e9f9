import type { Logger } from 'pino';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { VectorIndex } from '../adapters/vector-index/vector-index.ts';
import type { Orm } from '../db/create-orm.ts';
import type { PeerLimit } from './http/peer-limit.ts';
import type { PartBuffers } from '../services/uploads/streaming/part-buffers.ts';
import type { UploadSessionChanges } from '../services/upload-sessions/upload-session-changes.ts';
import type { UploadMemory } from '../services/uploads/streaming/upload-memory.ts';
import type { PaceLimit } from '../services/uploads/streaming/upload-pace.ts';
import type { Engine } from '../temporal/client.ts';
import type { LivePlaces } from './live/live-places.ts';
import type { LiveSockets } from './live/live-sockets.ts';

/** All that routes may need. */
export interface ApiDeps {
  orm: Orm;
  engine: Engine;
  objects: ObjectStore;
  vectors: VectorIndex;
  uploadMemory: UploadMemory;
  partBuffers: PartBuffers;
  uploadPace: PaceLimit;
  /** How long a direct upload may take. */
  directUploadSeconds: number;
  sessionChanges: UploadSessionChanges;
  /** Of upload events, which need no key. */
  eventLimit: PeerLimit;
  /** Shared by WebSockets and event streams. */
  livePlaces: LivePlaces;
  liveSockets: LiveSockets;
  log: Logger;
  /** True from the first signal to stop: `/readyz` says so, and no new work should be sent here. */
  draining: () => boolean;
}
