import { taskPriority } from './queues.ts';
import type { Workflow } from './workflow.ts';

/** A vector index: of the images for similarity, or of the chunks of documents for search. */
export type IndexName = 'images' | 'chunks';
/** Also the words by which lists and searches find files, which functions of the database make. */
export type RebuiltIndex = IndexName | 'words';

/**
 * `syncIndex`, id `index/{index}/{file_id}`, queue `workflows`: reconciles the entries of a file in an index with its row,
 * after a deletion or a restore. One at a time per file, so that a removal and a restore cannot be reordered.
 */
export interface SyncIndexInput {
  index: IndexName;
  fileId: string;
  tenantId: string;
}

/** The row has changed again, so read it again. A signal, because it needs no answer and must not be lost. */
export const INDEX_CHANGED = 'indexChanged';

/**
 * `rebuildIndex`, id `rebuild/{index}`, queue `workflows`: puts every described image, or every chunk of every live document,
 * back into the index, page by page, or makes the words of every file anew. For an index that was lost, and after a change of
 * the model or of the functions that define words; safe to run during uploads. It ends early when workers with another model have
 * started, or other functions have been applied.
 */
export interface RebuildIndexInput {
  index: RebuiltIndex;
  /** Of the model whose vectors are added; only workers with this model do so. For words, the hash of their functions. */
  collection: string;
  /** How far an earlier run of the same rebuild came. */
  progress?: RebuildProgress;
}

export interface RebuildProgress {
  indexed: number;
  /** Id of the last file done; absent at the beginning. */
  after?: string;
}

export const SYNC_INDEX: Workflow<SyncIndexInput> = {
  type: 'syncIndex',
  id: ({ index, fileId }) => indexWorkflowId(index, fileId),
  reuse: 'joined',
  summary: ({ index }) => `Index of ${index} after a deletion or a restore`,
  // Interactive: a user has just changed the file.
  priority: ({ tenantId }) => taskPriority('interactive', tenantId),
};

export function indexWorkflowId(index: IndexName, fileId: string): string {
  return `index/${index}/${fileId}`;
}

export const REBUILD_INDEX: Workflow<RebuildIndexInput> = {
  type: 'rebuildIndex',
  id: ({ index }) => rebuildWorkflowId(index),
  reuse: 'joined',
  summary: ({ index }) => `Rebuild of the index of ${index}`,
};

export function rebuildWorkflowId(index: RebuiltIndex): string {
  return `rebuild/${index}`;
}
