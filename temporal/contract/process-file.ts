import type { Components } from '../../domain/components.ts';
import type { MediaType } from '../../domain/media.ts';
import type { PrimaryStatus } from '../../domain/primary-status.ts';
import { fileWorkflowId } from './ids.ts';
import { lane, type PriorityName } from './queues.ts';
import { searchAttributes } from './search-attributes.ts';

/**
 * `processFile`, id `file/{file_id}`, queue `workflows`: the pipeline of one file. One run is one generation; an
 * explicit retry is the next. The input holds everything that status derives from, so the history of one run is
 * enough to know what became of it.
 */
export const PROCESS_FILE = 'processFile';

export const FILE_SIGNALS = {
  /** The present run of the file's upload session is not its parent and waits for its end as well. */
  reportEnd: 'reportEnd',
} as const;

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

/** What every start of the workflow has in common, by the API or by the workflow of an upload session. */
export function processFileStart(input: ProcessFileInput, staticSummary: string) {
  const { fileId, tenantId, mediaType, generation, priority, sessionId } = input;
  const memo: ProcessFileMemo = { generation, tenantId };
  return {
    workflowId: fileWorkflowId(fileId),
    args: [input] as [ProcessFileInput],
    memo: { ...memo },
    priority: lane(priority, tenantId),
    typedSearchAttributes: searchAttributes({ tenantId, sessionId, mediaType, unifiedStatus: 'queued' }),
    staticSummary,
  };
}
