import type { Components } from '../../domain/components.ts';
import type { MediaType } from '../../domain/media.ts';
import { taskPriority, type PriorityName } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';
import { rowWorkflows } from './workflow.ts';

export const UPLOAD_SESSION_SIGNALS = {
  /** Files that were just stored or reopened for a retry, with everything needed to start them: UploadSessionFile[]. */
  filesStored: 'filesStored',
  /** The session was sealed, paused, resumed, cancelled or retried: the row has which. */
  sessionChanged: 'sessionChanged',
  /** Id and generation of a file that ended in a run the session did not start itself. */
  fileSettled: 'fileSettled',
} as const;

/**
 * `uploadSession`, id `upload-session/{session_id}`, queue `workflows`: starts the files of one upload session, a
 * bounded number at a time, and waits for them to end. A retry of failed files is the next generation.
 *
 * The row holds the desired state: signals only say that it has changed, so they are idempotent.
 */
export interface UploadSessionInput {
  sessionId: string;
  tenantId: string;
  generation: number;
  /** Idle time after which the batch is stale; defaults to STALE_AFTER_MS. */
  staleAfterMs?: number;
}

/** For operators inspecting the workflow; the session record has all the counts. */
export interface UploadSessionResult {
  files: number;
  /** Fewer than all when the session was cancelled or expired. */
  ended: number;
}

/** A file to be processed. */
export interface UploadSessionFile {
  fileId: string;
  mediaType: MediaType;
  generation: number;
  components: Components;
  /** Filename, for operators; absent where histories have no names. */
  name?: string;
  /** Whether this generation has already been started. */
  started?: boolean;
  /** `bulk` where absent. */
  priority?: PriorityName;
}

/** A session's row, with a page of its unfinished files. */
export interface UploadSessionView {
  /** False once the session has reached a terminal status. */
  open: boolean;
  /** Absent in histories that are older. */
  cancelled?: boolean;
  sealed: boolean;
  paused: boolean;
  files: UploadSessionFile[];
  /** Cursor of the next page; absent on the last. */
  next?: string;
}

/** Files per page of a read or per signal, which keeps payloads under 12 KB. */
export const FILES_A_MESSAGE = 16;

/** Files of one session in progress at a time: enough for every core; of a large batch, most can still be cancelled. */
export const FILES_IN_FLIGHT = 50;

/** How often a session reads its row without having been signalled. */
export const REFRESH_EVERY_MS = 10 * 60_000;

/** How soon it does so while none of its files runs, doubled each time until one does. */
export const IDLE_REFRESH_MS = 2000;

/** How long a run whose row is cancelled waits for the request to cancel it, which follows at once or with the next sweep. */
export const CANCEL_REQUEST_MS = 2 * 60_000;

/** A batch is stale when no file has arrived for this long: its client or its API process is gone. */
export const STALE_AFTER_MS = 30 * 60_000;

export const UPLOAD_SESSION_WORKFLOWS = rowWorkflows<UploadSessionInput>({
  type: 'uploadSession',
  prefix: 'upload-session/',
  row: ({ sessionId }) => sessionId,
  reuse: 'by_generation',
  summary: ({ generation }) => `Upload session, generation ${generation}`,
  priority: ({ tenantId }) => taskPriority('normal', tenantId),
  attributes: ({ tenantId, sessionId }) => searchAttributes({ tenantId, sessionId }),
  memo: ({ generation, tenantId }) => ({ generation, tenantId }),
});
