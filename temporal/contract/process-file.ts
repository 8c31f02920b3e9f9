import type { Components } from '../../domain/components.ts';
import type { MediaType } from '../../domain/media.ts';
import type { PrimaryStatus } from '../../domain/primary-status.ts';
import type { PriorityName } from './queues.ts';

/**
 * `processFile`, id `file/{file_id}`, queue `workflows`: the pipeline of one file. One run is one generation; an
 * explicit retry is the next. The input holds everything that status derives from, so the history of one run is
 * enough to know what became of it.
 */
export const PROCESS_FILE = 'processFile';

export const FILE_SIGNALS = {
  /** The session of the file was paused or resumed: FilePause. A signal, since its workflow has nothing to wait for. */
  sessionPaused: 'sessionPaused',
} as const;

export interface FilePause {
  paused: boolean;
  /** Which run is meant; one of another generation takes no notice. */
  generation: number;
}

/** Activities that record, among the rest, that the next component is queued. */
export const QUEUEING_WRITES: readonly string[] = ['beginFileWork', 'projectFile'];

export interface ProcessFileInput {
  fileId: string;
  tenantId: string;
  mediaType: MediaType;
  generation: number;
  /** As they stood before this run: what is not terminal is to be done. */
  components: Components;
  priority: PriorityName;
  /** The upload session that waits for the end of this run, if one does. */
  sessionId?: string;
}

export interface ProcessFileResult {
  /** `superseded`: the file was deleted or belongs to a newer run; this one changed nothing. */
  outcome: PrimaryStatus | 'superseded';
}

/** Memo of each run, readable without its history. */
export interface ProcessFileMemo {
  generation: number;
  tenantId: string;
}
