import { z } from 'zod';
import { MAX_IMPORT_CONCURRENCY, USUAL_IMPORT_CONCURRENCY } from '../../../domain/imports.ts';
import { MAX_LINK_LENGTH } from '../../../domain/links/web-link.ts';
import { MAX_FILES_PER_MINUTE, MAX_SOURCE_KEY, MAX_UPLOAD_TAGS } from '../../../domain/limits.ts';
import { filledTags, optional, optionalWith, text } from '../../../domain/schemas/text.ts';
import { complianceImageType, complianceType } from '../../../domain/schemas/extractions/compliance.ts';
import { contentCategoryOfFile, importItemStatus, importStatus, storage, whenGone } from '../enums.ts';
import {
  completedAt,
  componentField,
  count,
  createdAt,
  failure,
  idParam,
  pageOf,
  startedAt,
  timestamp,
} from '../fields.ts';
import { flag, integerIn, page } from '../../../domain/schemas/query.ts';
import { STANDARD_DESCRIPTION, STANDARD_KNOWN, standardProblem } from '../upload/compliance.ts';

/** A month. */
const MAX_REPEAT_HOURS = 744;

/** Of Linux. */
const MAX_FOLDER_PATH = 4096;

const prefix = optionalWith(text(MAX_SOURCE_KEY), '')
  // Of a transform, responses would have no type.
  .pipe(z.string())
  .describe('Objects whose keys begin with this are imported; by default all');

const sourceBody = z
  .discriminatedUnion('type', [
    z
      .strictObject({
        type: z.literal('bucket').describe('A bucket that was connected'),
        connection_id: z.guid().toLowerCase().describe('Id of the connection to the bucket'),
        prefix,
      })
      .meta({ id: 'BucketSource' }),
    z
      .strictObject({
        type: z
          .literal('own_bucket')
          .describe('The bucket of the account, see `POST /tenant/storage-config`'),
        prefix,
      })
      .meta({ id: 'OwnBucketSource' }),
    z
      .strictObject({
        type: z.literal('manifest').describe('A list of files, as JSON lines or CSV'),
        url: z
          .url({ protocol: /^https?$/ })
          .max(MAX_LINK_LENGTH)
          .describe(
            'URL of the list, up to 100 MB: each line is an object, or a row below a line with the names of the columns. It has the ' +
              '`url` of a file of up to 100 MB, or with `connection_id` its `key`, and if wanted `title`, `tags` (in CSV with ' +
              'commas between them), `folder_id`, `content_category` and `custom_schema_id` in place of those of the import',
          ),
        connection_id: optional(z.guid().toLowerCase())
          .pipe(z.string().optional())
          .describe('Id of the connection to the bucket that has the files, if the list names keys'),
      })
      .meta({ id: 'ManifestSource' }),
    z
      .strictObject({
        type: z
          .literal('folder')
          .describe('A folder of the server; the import is started by an admin who has logged in'),
        path: text(MAX_FOLDER_PATH)
          .regex(/^\//)
          .describe('Absolute path, below a folder that the operator allows (`IMPORT_FOLDERS`)'),
      })
      .meta({ id: 'FolderSource' }),
  ])
  .meta({ id: 'ImportSource' });

export const importBody = z
  .strictObject({
    source: componentField(sourceBody, 'Where the files are'),
    concurrency: optionalWith(z.int().min(1).max(MAX_IMPORT_CONCURRENCY), USUAL_IMPORT_CONCURRENCY).describe(
      'Files that are fetched at the same time',
    ),
    max_files_per_minute: optional(z.int().min(1).max(MAX_FILES_PER_MINUTE)).describe(
      'Begin at most so many files a minute; by default as fast as other work allows',
    ),
    repeat_every_hours: optional(z.int().min(1).max(MAX_REPEAT_HOURS)).describe(
      'List the source again so many hours after each end, and import what is new or has changed; by default once',
    ),
    when_gone: optionalWith(whenGone, 'keep').describe(
      'What becomes of a file whose object a later pass does not find, or finds with another ETag: `trash` moves it to the trash',
    ),
    tags: optionalWith(filledTags(MAX_UPLOAD_TAGS), []).describe('Keywords of every file'),
    folder_id: z.guid().toLowerCase().nullish().describe('Folder of the files; by default the root'),
    project_id: z
      .guid()
      .toLowerCase()
      .nullish()
      .describe('Project whose root folder is used if there is no `folder_id`'),
    skip_duplicates: optionalWith(z.boolean(), false).describe(
      'Skip files whose content the account already has',
    ),
    storage_target: optionalWith(storage, 'default').describe(
      'The object store: `default`, or `custom` for the bucket of your own',
    ),
    auto_describe: optionalWith(z.boolean(), true).describe('Whether a model describes the files'),
    content_category: optional(contentCategoryOfFile).describe(
      'Category of the content; by default that of the project, otherwise `general`',
    ),
    custom_schema_id: z.guid().nullish().describe('Id of a saved schema, by which the files are extracted'),
    compliance_type: optional(complianceType).describe('Kind of the compliance check; null: none'),
    compliance_standard: optional(text(255).min(1)).describe(STANDARD_DESCRIPTION),
    compliance_image_type: optionalWith(complianceImageType, 'main').describe(
      'Place of the images in their listing',
    ),
  })
  .refine((body) => !standardProblem(body), STANDARD_KNOWN)
  .meta({ override: { dependentRequired: { compliance_type: ['compliance_standard'] } } });
export type ImportBody = z.output<typeof importBody>;

export const importParams = z.object({ import_id: idParam('Id of an import') });

const importItem = z
  .object({
    id: z.uuid().describe('Id of the item'),
    key: z.string().describe('Key at the source'),
    etag: z.string().describe('Version at the source; empty if it names none'),
    size_bytes: count.nullable().describe('Size in bytes; null if the source does not say'),
    status: importItemStatus.describe('What became of it'),
    reason: failure.nullable().describe('Why it was skipped or has failed; null otherwise'),
    file_id: z.uuid().nullable().describe('Its file, or the one that it duplicates; null without one'),
    ended_at: timestamp.nullable().describe('When that was; null while it is `pending`'),
    gone_at: timestamp
      .nullable()
      .describe('When a later pass no longer found it; null while it is there, and unless it was imported'),
  })
  .meta({ id: 'ImportItem' });

export const importRecord = z
  .object({
    id: z.uuid().describe('Id of the import'),
    status: importStatus.describe(
      'State of the import. One that is `paused` for want of credits, or because its source does not answer, goes on by itself',
    ),
    reason: failure.nullable().describe('Why it is paused or has failed; null otherwise'),
    source: componentField(sourceBody, 'Where the files are'),
    concurrency: z.int().min(1).describe('Files that are fetched at the same time'),
    max_files_per_minute: z
      .int()
      .nullable()
      .describe('Most files that are begun in a minute; null without a limit'),
    listed: z.boolean().describe('Whether the source has been listed to its end'),
    partial: z
      .boolean()
      .describe('Whether this pass could not list a part of the source, so that no file is taken for gone'),
    found: count.describe(
      'Files found at the source so far. Those that have gone from it and have no file leave the counts after a month',
    ),
    imported: count.describe('Files imported so far'),
    skipped: count.describe('Files left out, such as duplicates and kinds that are not accepted'),
    failed: count.describe('Files that could not be imported; they can be tried again'),
    reasons: z
      .record(z.string(), count)
      .describe('Numbers of skipped and failed files by the code of their reason'),
    bytes: z.int().min(0).describe('Bytes imported so far'),
    gone: count.describe(
      'Imported files whose objects the last pass did not find, or found with another ETag',
    ),
    pass: z.int().min(1).describe('How often the source has been listed, with the present time'),
    repeat_every_hours: z
      .int()
      .nullable()
      .describe('Hours between the end of a pass and the next one; null for a single pass'),
    when_gone: whenGone.describe('What becomes of a file whose object has gone from the source'),
    next_pass_at: timestamp
      .nullable()
      .describe('When the next pass begins; null while one runs, and without one'),
    files_per_minute: count.describe('Files that ended in the last minute; 0 unless it is running'),
    estimated_completion_time: timestamp
      .nullable()
      .describe('When everything will have ended at this rate; null while that is unknown'),
    recent_errors: z.array(importItem).describe('Files that failed last, at most ten'),
    created_at: createdAt,
    started_at: startedAt,
    completed_at: completedAt,
  })
  .meta({ id: 'Import' });

export const importListQuery = z.object(page(100, 20));

export const importList = z.object(pageOf(importRecord)).meta({ id: 'ImportList' });

export const importItemsQuery = z.object({
  status: importItemStatus.optional().describe('Only items with this status'),
  gone: flag.optional().describe('Only items that have gone from the source, or only others'),
  limit: integerIn(1, 500).default(100).describe('Maximum number of items'),
  cursor: z.guid().toLowerCase().optional().describe('`next_cursor` of the previous page'),
});

export const importItemPage = z
  .object({
    items: z.array(importItem).describe('The items, in a constant order'),
    next_cursor: z.uuid().nullable().describe('Cursor of the next page; null on the last'),
  })
  .meta({ id: 'ImportItemPage' });
