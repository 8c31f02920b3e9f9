import type { ComponentName, Components } from '../../domain/components.ts';
import type { MediaType } from '../../domain/media.ts';
import type { PrimaryStatus } from '../../domain/primary-status.ts';
import { taskPriority, type PriorityName } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';
import { rowWorkflows } from './workflow.ts';

export const FILE_SIGNALS = {
  /** The current run of the file's upload session is not its parent, but waits for its end. */
  reportEnd: 'reportEnd',
} as const;

/**
 * `processFile`, id `file/{file_id}`, queue `workflows`: the pipeline of one file. One run is one generation; an
 * explicit retry is the next. The input holds everything that status derives from, so a run's history alone is enough
 * to derive its outcome.
 */
export interface ProcessFileInput {
  fileId: string;
  tenantId: string;
  mediaType: MediaType;
  generation: number;
  /** State before this run: components that are not terminal are to be processed. */
  components: Components;
  priority: PriorityName;
  /** Filename, for operators; absent where histories have no names. */
  name?: string;
  /** The upload session that waits for the end of this run, if any. */
  sessionId?: string;
}

/** For operators inspecting the workflow; the row has the full state. */
export interface ProcessFileResult {
  /** `superseded`: the file was deleted or belongs to a newer run; this one changed nothing. */
  outcome: PrimaryStatus | 'superseded';
  /** Components that failed or partly failed, in pipeline order; absent if all succeeded. */
  failures?: ComponentFailure[];
}

interface ComponentFailure {
  component: ComponentName;
  code: string;
  reason: string;
}

/** The activity that reads the recorded results of a fast path that did not report them. */
export const SETTLE_FAST_PATH = 'settleFastPath';

/** Heartbeat state of a running attempt, read by the next attempt and `describe`. */
export interface HeartbeatDetails {
  /** Attempts that failed for a reason that may be the file's own. */
  counted?: number;
  /** Attempts whose worker vanished; the running one is included until it ends. */
  lost?: number;
  /** The process of the running attempt, until it ends. */
  process?: string;
  /** Attempts that went back to the engine before they began, as other tenants came first. */
  returned?: number;
  /** The step that a fast path is working on. */
  step?: string;
  /** A paid answer that could not be stored: the one payload that is not small, for as long as the database is away. */
  kept?: unknown;
}

export const FILE_WORKFLOWS = rowWorkflows<ProcessFileInput>({
  type: 'processFile',
  prefix: 'file/',
  row: ({ fileId }) => fileId,
  reuse: 'by_generation',
  // The API also accepts the first eight characters of an id.
  summary: ({ mediaType, fileId, sessionId, generation }) =>
    `${mediaType} ${fileId.slice(0, 8)}${sessionId ? ' of a batch' : ''}, generation ${generation}`,
  priority: ({ priority, tenantId }) => taskPriority(priority, tenantId),
  attributes: ({ tenantId, sessionId, mediaType }) =>
    searchAttributes({ tenantId, sessionId, mediaType, unifiedStatus: 'queued' }),
  memo: ({ generation, tenantId }) => ({ generation, tenantId }),
});
