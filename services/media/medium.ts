import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../db/entities/files/stored-file.ts';
import type { ComponentName, FileComponents } from '../../domain/components.ts';
import type { FileColumn } from '../../domain/exports/file-columns.ts';
import type { PagesToRetry } from '../../domain/retry-components.ts';
import type { ReadPage } from '../../domain/structured-extraction/read-page.ts';
import type { Engine } from '../../temporal/client.ts';
import type { IndexName } from '../../temporal/contract/indexes.ts';
import type { Sql } from '../shared/sql.ts';

/**
 * The medium-specific operations, for code that serves files of any medium. Processing is described by the medium's
 * pipeline (domain/pipelines), answers by its presenter (api/resources/media.ts).
 */
export interface Medium {
  mediaType: string;
  /** Its own tables with a `file_id`, in the order in which a purge may empty them. */
  ownTables: readonly string[];
  /** Absent if its files are not indexed. */
  index?: MediumIndex;
  /** Its contribution to an export. */
  exports?: MediumExports;
  /** Absent if no data can be extracted from its files by a schema. */
  extraction?: MediumExtraction;
  /** When a step that is a single activity last progressed; undefined if it has not yet. */
  lastProgressAt?(em: EntityManager, fileId: string): Promise<Date | undefined>;
  /** Progress of the current step in a few words; undefined when it has processed everything. */
  progress?(em: EntityManager, fileId: string): Promise<string | undefined>;
  /**
   * Marks the work that its components redo, in the transaction of a retry.
   *
   * @returns components that run without a charge, since an earlier run was paid for the same work
   */
  prepareRetry?(
    tx: EntityManager,
    ended: EndedRun,
    retried: readonly ComponentName[],
    pages: PagesToRetry,
  ): Promise<readonly ComponentName[]>;
  /**
   * Carries stored results of an unfinished component over to the next generation, in the transaction that opens it.
   *
   * @param reopened components that run again
   */
  keepResults?(tx: EntityManager, ended: EndedRun, reopened: readonly ComponentName[]): Promise<void>;
}

export interface MediumIndex {
  name: IndexName;
  /**
   * Whether the index entries of a file may differ from its row, because it was deleted, restored or processed before.
   * In all other cases its run writes them.
   */
  isDue(
    file: Pick<
      StoredFile,
      'deletedAt' | 'describedAt' | 'generation' | 'primaryStatus' | 'workflowStartedAt'
    >,
  ): boolean;
  /** The same rule as SQL, for the row in `files` of a live file whose run begins. */
  dueSql: string;
  /** Starts the workflow that syncs the entries with the row. @throws EngineUnavailable */
  sync(engine: Engine, file: { fileId: string; tenantId: string }): Promise<unknown>;
}

export interface MediumExports {
  /** `left join`s of the medium's details to the file, `f`. */
  joins: Sql;
  /** Values by column, computed from the file and these joins. */
  columns: Partial<Record<FileColumn, Sql>>;
}

export interface MediumExtraction {
  /** @throws AppError for a file that is not readable yet, or will never be */
  requireReadable?(file: StoredFile): void;
  /** The text that was read, page by page. Absent if a model is given the image itself. */
  readPages?(em: EntityManager, fileId: string): Promise<ReadPage[]>;
}

/** A file and its newest run, which has ended. */
export interface EndedRun extends FileComponents {
  fileId: string;
  generation: number;
}

const registered = new Map<string, Medium>();

/** Called once per medium, by the entry point of a process. */
export function registerMedium(medium: Medium): void {
  registered.set(medium.mediaType, medium);
}

/** @throws Error for a file whose medium is not registered; uploads of such files are refused */
export function mediumOf({ mediaType }: Pick<StoredFile, 'mediaType'>): Medium {
  const medium = registered.get(mediaType);
  if (!medium) throw new Error(`no medium is registered for files of type ${mediaType}`);
  return medium;
}

/** @throws Error before any is registered */
export function allMedia(): Medium[] {
  if (registered.size === 0) throw new Error('no medium is registered');
  return [...registered.values()];
}

/** Whether the index entries of a file whose run begins may differ from its row, as a condition on `files`. */
export function indexDueSql(): string {
  const rules = allMedia().flatMap(({ mediaType, index }) =>
    index ? [`when '${mediaType}' then ${index.dueSql}`] : [],
  );
  return rules.length > 0 ? `case media_type ${rules.join(' ')} else false end` : 'false';
}
