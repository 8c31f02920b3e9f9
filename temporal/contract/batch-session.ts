import type { Components } from '../../domain/components.ts';
import type { MediaType } from '../../domain/media.ts';
import type { PriorityName } from './queues.ts';

/**
 * `batchSession`, id `session/{session_id}`, queue `workflows`: starts the files of one upload session, a bounded
 * number at a time, and sees them to their end. A retry of what failed is the next generation.
 *
 * The row holds what was asked for: signals only say that it has changed, so a repeated one does no harm.
 */
export const BATCH_SESSION = 'batchSession';

export const SESSION_SIGNALS = {
  /** Files that were just stored or opened for a retry, with all that starting them takes: SessionFile[]. */
  filesStored: 'filesStored',
  /** The session was sealed, paused, resumed, cancelled or retried: the row says which. */
  sessionChanged: 'sessionChanged',
  /** A file ended in a run that the session did not start itself: its id and generation. */
  fileSettled: 'fileSettled',
} as const;

export interface BatchSessionInput {
  sessionId: string;
  tenantId: string;
  generation: number;
  /** When the batch is stale; STALE_AFTER_MS where absent. */
  staleAfterMs?: number;
}

/** Memo of each run, readable without its history. */
export interface BatchSessionMemo {
  generation: number;
  tenantId: string;
}

/** For people who look at the workflow; the record of the session has all the counts. */
export interface BatchSessionResult {
  files: number;
  /** Fewer than all when the session was cancelled or expired. */
  ended: number;
}

/** A file that is to be processed. */
export interface SessionFile {
  fileId: string;
  mediaType: MediaType;
  generation: number;
  components: Components;
  /** Whether a run has worked on this generation already. */
  started?: boolean;
  /** `bulk` where absent. */
  priority?: PriorityName;
}

/** One look at the row of a session, with a page of its files that have not ended. */
export interface SessionView {
  /** False once the session has reached a terminal status. */
  open: boolean;
  sealed: boolean;
  paused: boolean;
  files: SessionFile[];
  /** Where the next page begins; absent on the last. */
  next?: string;
}

/** Files a page of a look or a signal, which keeps payloads under 8 KB. */
export const FILES_A_MESSAGE = 16;

/** Work of one session under way at a time: enough for every core, few enough that a cancellation finds most of a big batch unstarted. */
export const FILES_IN_FLIGHT = 50;

/** How often a session reads its row without having been signalled. */
export const LOOK_EVERY_MS = 10 * 60_000;

/** A batch is stale when no file came for so long: its client or its API is gone. */
export const STALE_AFTER_MS = 30 * 60_000;
