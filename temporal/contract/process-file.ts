import type { ComponentName, Components } from '../../domain/components.ts';
import type { MediaType } from '../../domain/media.ts';
import type { PrimaryStatus } from '../../domain/primary-status.ts';
import { fileWorkflowId } from './ids.ts';
import { lane, type PriorityName } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';

/**
 * `processFile`, id `file/{file_id}`, queue `workflows`: the pipeline of one file. One run is one generation; an
 * explicit retry is the next. The input holds everything that status derives from, so a run's history alone is enough
 * to derive its outcome.
 */
export const PROCESS_FILE = 'processFile';

export const FILE_SIGNALS = {
  /** The current run of the file's upload session is not its parent, but waits for its end. */
  reportEnd: 'reportEnd',
} as const;

export interface ProcessFileInput {
  fileId: string;
  tenantId: string;
  mediaType: MediaType;
  generation: number;
  /** State before this run: components that are not terminal are to be processed. */
  components: Components;
  priority: PriorityName;
  /** Of the file, for operators; absent where histories have no names. */
  name?: string;
  /** The upload session that waits for the end of this run, if any. */
  sessionId?: string;
}

/** For operators inspecting the workflow; the row has all of it. */
export interface ProcessFileResult {
  /** `superseded`: the file was deleted or belongs to a newer run; this one changed nothing. */
  outcome: PrimaryStatus | 'superseded';
  /** What did not succeed, or not wholly, in the order of the pipeline; absent where everything did. */
  troubles?: Trouble[];
}

export interface Trouble {
  component: ComponentName;
  code: string;
  reason: string;
}

/** A summary that begins with the name of its file, where histories have names. */
export function named(name: string | undefined, summary: string): string {
  return name === undefined ? summary : `${name}: ${summary}`;
}

/** The activity that finds out what a fast path has recorded that did not report it. */
export const SETTLE_FAST_PATH = 'settleFastPath';

/** Memo of each run, readable without its history. */
export interface ProcessFileMemo {
  generation: number;
  tenantId: string;
}

/**
 * Start options shared by the API and by the workflow of an upload session.
 *
 * @param summary one line for operators, to which the name of the file is added
 */
export function processFileStart(input: ProcessFileInput, summary: string) {
  const { fileId, tenantId, mediaType, generation, priority, sessionId, name } = input;
  const memo: ProcessFileMemo = { generation, tenantId };
  return {
    workflowId: fileWorkflowId(fileId),
    args: [input] as [ProcessFileInput],
    memo: { ...memo },
    priority: lane(priority, tenantId),
    typedSearchAttributes: searchAttributes({ tenantId, sessionId, mediaType, unifiedStatus: 'queued' }),
    staticSummary: named(name, summary),
  };
}
