import { z } from 'zod';
import { MAX_FILES_PER_MINUTE, MAX_REPROCESSED_IDS, MAX_TAGS } from '../../domain/limits.ts';
import { REPROCESSED_PARTS, type ReprocessingSelection } from '../../domain/reprocessing.ts';
import { instantOrDay, page, integerIn } from '../../domain/schemas/query.ts';
import { displayName, filledTags, optional, optionalWith, text } from '../../domain/schemas/text.ts';
import { complianceStatus } from '../../domain/schemas/extractions/compliance.ts';
import { explainReprocessing } from '../../services/reprocessing/explain-reprocessing.ts';
import type {
  ReprocessedFileResult,
  ReprocessingState,
} from '../../services/reprocessing/find-reprocessing.ts';
import type { ReprocessingEstimate } from '../../services/reprocessing/selected-files.ts';
import {
  searchMode,
  failureKindOfFile,
  fileStatus,
  medium,
  reprocessedFileStatus,
  reprocessedPart,
  reprocessingStatus,
} from './enums.ts';
import {
  completedAt,
  componentField,
  count,
  errorMessage,
  failure,
  fileId,
  filename,
  folderOrRoot,
  idParam,
  listPage,
  mediaType,
  pageOf,
  percentage,
  startedAt,
  timestamp,
} from './fields.ts';

const MAX_SEARCH_LENGTH = 1000;
const MAX_REASON_LENGTH = 500;

const id = z.guid().toLowerCase();
/** A list of a filter; an empty one selects no files. */
const anyOf = <T extends z.ZodType>(each: T, what: string) =>
  optional(z.array(each).max(100, 'at most 100 of them')).meta({
    description: `${what}. An empty list: no files`,
  });

/** As the parameters of the list of files. */
const filter = z
  .strictObject({
    search: optional(text(MAX_SEARCH_LENGTH).min(1, 'must have a character')).meta({
      description: 'Words that must all match, without tolerance for typing errors; quote a phrase',
    }),
    search_mode: optionalWith(searchMode, 'all').meta({ description: 'As in the list of files' }),
    tags: optional(filledTags(MAX_TAGS)).meta({ description: 'Files with all of these tags' }),
    media_types: anyOf(medium, 'Files of any of these types'),
    status: anyOf(fileStatus, 'Files whose `primary_status` is any of these'),
    failure_kind: anyOf(failureKindOfFile, 'Failed files whose `failure_kind` is any of these'),
    folder_id: optional(folderOrRoot).meta({
      description: 'Files directly in this folder, or in the `root`',
    }),
    include_subfolders: optionalWith(z.boolean(), false).meta({
      description: 'With `folder_id`: also files in the folders below it',
    }),
    project_id: optional(id).meta({
      description: 'All files of this project; used when there is no folder_id',
    }),
    has_description: optional(z.boolean()).meta({
      description: 'Only files with a description, or only those without',
    }),
    ids: optional(z.array(id).max(MAX_REPROCESSED_IDS, `at most ${MAX_REPROCESSED_IDS} ids`)).meta({
      description: 'Only files with these ids; unknown ones select nothing',
    }),
    parent_file_id: optional(id).meta({ description: 'Parts of this file' }),
    held: optional(z.boolean()).meta({
      description: 'Only files that are held themselves, or only those that are not',
    }),
    compliance_status: optional(complianceStatus).meta({
      description: 'Files with this result of the compliance check',
    }),
    date_from: optional(instantOrDay('start')).describe('Files created from then on'),
    date_to: optional(instantOrDay('end')).describe('Files created until then'),
  })
  .refine(
    ({ search_mode: _mode, include_subfolders: _below, ...rest }) =>
      Object.values(rest).some((value) => value !== undefined),
    'must have a field that selects files; for all files, name all media_types',
  )
  .meta({ id: 'ReprocessingFilter' });

export const reprocessingBody = z
  .strictObject({
    filter: componentField(filter, 'Which files: the filters of the list of files, all of which must match'),
    components: z
      .array(reprocessedPart)
      .min(1, 'at least one component')
      .max(REPROCESSED_PARTS.length * 2)
      .transform((parts) => [...new Set(parts)])
      .meta({
        description:
          'What to make again. `text`: of documents and links; `pages`: those of documents that could not be read; ' +
          '`variants`: also the preview of a document, and the key frames of a video; `vectors`: chunks and vectors of ' +
          'documents; `extraction`: data by the schema in `custom_schema_id`. Files without such a part are skipped',
      }),
    custom_schema_id: optional(id).meta({
      description: 'The saved schema of `extraction`; it replaces that of the upload',
    }),
    reason: displayName(MAX_REASON_LENGTH).describe('Why, such as the new model or setting'),
    files_per_minute: optional(z.int().min(1).max(MAX_FILES_PER_MINUTE)).meta({
      description: 'Begin at most so many files a minute; by default as fast as other work allows',
    }),
    dry_run: optionalWith(z.boolean(), false).meta({
      description: 'Only estimate files and credits; nothing is started',
    }),
  })
  .refine(({ components, custom_schema_id: schema }) => !components.includes('extraction') || schema, {
    path: ['custom_schema_id'],
    message: 'extraction needs a saved schema',
  });
type Body = z.output<typeof reprocessingBody>;

export function selectionOf({ filter: of }: Body): ReprocessingSelection {
  return {
    fileIds: of.ids,
    search: of.search,
    searchMode: of.search_mode,
    tags: of.tags,
    mediaTypes: of.media_types,
    statuses: of.status,
    failureKinds: of.failure_kind,
    hasDescription: of.has_description,
    complianceStatus: of.compliance_status,
    parentFileId: of.parent_file_id,
    held: of.held,
    folderId: of.folder_id,
    includeSubfolders: of.include_subfolders,
    projectId: of.project_id,
    from: of.date_from?.toISOString(),
    to: of.date_to?.toISOString(),
  };
}

export const reprocessingParams = z.object({ reprocessing_id: idParam('Id of the reprocessing') });
export const reprocessingListQuery = z.object(page(100, 20));
export const reprocessedFilesQuery = z.object({
  status: reprocessedFileStatus.optional().describe('Only files in this state'),
  limit: integerIn(1, 100).default(20).describe('Most entries of the page'),
  cursor: z
    .string()
    .min(1)
    .max(4000)
    .optional()
    .meta({ description: '`next_cursor` of the previous page, with the same filters' }),
});

const credits = count.describe('Credits, if every file is processed');

export const reprocessingEstimate = z
  .object({
    total_files: count.describe('Files that are selected'),
    estimated_credits: credits,
    media: z
      .array(
        z.object({
          media_type: mediaType,
          files: count.describe('Files of this medium'),
          estimated_credits: credits,
          components: z
            .array(z.string())
            .describe('What runs again in each of them; empty: they are skipped'),
        }),
      )
      .describe('The same by medium'),
  })
  .meta({ id: 'ReprocessingEstimate' });

const progress = z
  .object({
    processing: count.describe('Files in progress'),
    completed: count.describe('Files of which all was made again'),
    failed: count.describe('Files of which a part failed'),
    skipped: count.describe('Files that were left alone'),
    percent: percentage.describe('Share of the files that have ended'),
  })
  .meta({ id: 'ReprocessingProgress' });

export const reprocessingRecord = z
  .object({
    reprocessing_id: z.uuid().describe('Id of the reprocessing'),
    status: reprocessingStatus.describe('State of the reprocessing'),
    reason: z.string().describe('Why its owner wants it'),
    components: z.array(reprocessedPart).describe('What is made again'),
    custom_schema_id: z.uuid().nullable().describe('The saved schema of `extraction`; null without'),
    files_per_minute: z
      .int()
      .min(1)
      .nullable()
      .describe('Most files that begin in a minute; null without a limit'),
    total_files: count.describe('Files that were selected when it was accepted'),
    estimated_credits: credits,
    progress: componentField(progress, 'Its files by state'),
    explanation: z.string().describe('One sentence: how far it is, and the cause of any wait'),
    pause_reason: failure
      .nullable()
      .describe('Why it is paused, such as `QUOTA_EXHAUSTED`; null unless it is'),
    error_message: errorMessage,
    restored_files: count.describe('Files whose former description a rollback has put back'),
    created_at: timestamp.describe('When it was accepted; later files are not in it'),
    completed_at: completedAt,
    closes_at: timestamp
      .nullable()
      .describe('When the former descriptions are removed; null before its end, and once that is done'),
    closed_at: timestamp.nullable().describe('When it was closed; null before'),
  })
  .meta({ id: 'Reprocessing' });

export const reprocessingList = z.object(pageOf(reprocessingRecord)).meta({ id: 'ReprocessingList' });

export const reprocessedFileList = z
  .object({
    items: z
      .array(
        z
          .object({
            file_id: fileId,
            filename,
            status: reprocessedFileStatus.describe('State of the file in this reprocessing'),
            generation: z.int().min(1).nullable().describe('The run of the file; null if it was skipped'),
            components: z.array(z.string()).describe('What ran again'),
            error: failure
              .nullable()
              .describe('Why it failed, was skipped, or what is missing; null otherwise'),
            description_before: z
              .string()
              .nullable()
              .describe('The former description by a model; null without one, if it stays, and once closed'),
            description_after: z
              .string()
              .nullable()
              .describe('The description by the model in this run; null if there is none'),
            started_at: startedAt,
            completed_at: completedAt,
          })
          .meta({ id: 'ReprocessedFile' }),
      )
      .describe('This page of the list'),
    total_count: count.describe('Number of entries in all pages'),
    next_cursor: z.string().nullable().meta({ description: 'Cursor of the next page; null on the last' }),
  })
  .meta({ id: 'ReprocessedFileList' });

export function presentEstimate({ totalFiles, credits: sum, media }: ReprocessingEstimate) {
  return {
    total_files: totalFiles,
    estimated_credits: sum,
    media: media.map((each) => ({
      media_type: each.mediaType,
      files: each.files,
      estimated_credits: each.credits,
      components: each.components,
    })),
  };
}

export function presentReprocessing({ row, processing }: ReprocessingState) {
  const { completedCount: completed, failedCount: failed, skippedCount: skipped, totalCount: total } = row;
  const ended = completed + failed + skipped;
  return {
    reprocessing_id: row.id,
    status: row.status,
    reason: row.reason,
    components: row.parts,
    custom_schema_id: row.schemaId ?? null,
    files_per_minute: row.filesPerMinute ?? null,
    total_files: total,
    estimated_credits: row.estimatedCredits,
    progress: {
      processing,
      completed,
      failed,
      skipped,
      // Files that vanished meanwhile have no end.
      percent:
        total === 0 || row.status === 'completed' ? 100 : Math.min(100, Math.round((ended / total) * 100)),
    },
    explanation: explainReprocessing({ row, processing }),
    pause_reason: row.pauseReason ?? null,
    error_message: row.error?.message ?? null,
    restored_files: row.restoredCount,
    created_at: row.createdAt.toISOString(),
    completed_at: row.completedAt?.toISOString() ?? null,
    closes_at: row.closeAt?.toISOString() ?? null,
    closed_at: row.closedAt?.toISOString() ?? null,
  };
}

export function presentReprocessings(
  { items, totalCount }: { items: ReprocessingState[]; totalCount: number },
  at: { limit: number; offset: number },
) {
  return listPage(items.map(presentReprocessing), totalCount, at);
}

/** @param closed whether the former descriptions are no longer shown */
export function presentReprocessedFile(file: ReprocessedFileResult, closed: boolean) {
  return {
    file_id: file.fileId,
    filename: file.filename,
    status: file.status,
    generation: file.generation,
    components: file.components,
    error: file.error,
    description_before: closed ? null : file.descriptionBefore,
    description_after: file.descriptionAfter,
    started_at: new Date(file.startedAt).toISOString(),
    completed_at: file.endedAt === null ? null : new Date(file.endedAt).toISOString(),
  };
}
