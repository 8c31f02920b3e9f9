import { z } from 'zod';
import { plainText } from '../../../domain/exports/cell.ts';
import { HISTORY_FIELDS, SOURCE_TYPES } from '../../../domain/exports/history.ts';
import {
  MAX_COLUMN_NAME_LENGTH,
  MAX_EXPORT_COLUMNS,
  MAX_EXPORT_IDS,
  MAX_EXPORTED_RECORDS,
  MAX_HISTORY_TERMS,
  MAX_TITLE_LENGTH,
} from '../../../domain/limits.ts';
import { optional, optionalWith, text } from '../../../domain/schemas/text.ts';
import { instantOrDay, page } from '../../../domain/schemas/query.ts';
import { formatsFor } from '../../../services/exports/formats/index.ts';
import {
  completedAt,
  componentField,
  count,
  errorMessage,
  folderOrRoot,
  idParam,
  pageOf,
  percentage,
  timestamp,
} from '../fields.ts';
import { webhookAnswerFields, webhookBodyFields } from '../request-webhook.ts';
import { exportFormat, exportKind, exportStatus, tableColumn, tableFormat, sourceType } from '../enums.ts';

const MAX_SHEET_NAME = 31;
const MAX_TERM_LENGTH = 200;

const fileFormat = tableFormat.describe('Format of the file');

/** A sheet name that is valid in Excel and XML 1.0. */
const sheetName = text(MAX_SHEET_NAME)
  .regex(/^[^[\]:*?/\\]+$/, 'must not be empty, and have none of [ ] : * ? / \\')
  .refine((name) => plainText(name) === name && !/[\t\n]/.test(name), 'must have no control characters')
  .refine((name) => !name.startsWith("'") && !name.endsWith("'"), 'must not begin or end with an apostrophe')
  .refine((name) => name.toLowerCase() !== 'history', 'is a name that Excel keeps for itself');

export const columnGroups = z
  .object({
    groups: z
      .record(
        z.string(),
        z.array(
          z.object({
            field_key: tableColumn.describe('Name of the column for programs'),
            display_name: z.string().describe('Heading of the column'),
            group: z.string().describe('Group that the column belongs to'),
          }),
        ),
      )
      .meta({ description: 'Columns by group, in the order in which to show them' }),
  })
  .meta({ id: 'ExportColumns' });

export const fileExportBody = z.strictObject({
  format: fileFormat,
  columns: z
    .array(
      z.strictObject({
        field_key: tableColumn.describe('Name of the column for programs'),
        display_name: optional(text(MAX_COLUMN_NAME_LENGTH).min(1, 'must not be empty')).meta({
          description: 'Heading of the column; by default the one of the registry',
        }),
      }),
    )
    .min(1, 'at least one column')
    .max(MAX_EXPORT_COLUMNS, `at most ${MAX_EXPORT_COLUMNS} columns`)
    .check(({ value, issues }) => {
      for (const [at, { field_key: key }] of value.entries())
        if (value.findIndex((one) => one.field_key === key) < at)
          issues.push({
            code: 'custom',
            message: 'is a column already',
            path: [at, 'field_key'],
            input: key,
          });
    })
    .meta({ description: 'In the order of the table, each once' }),
  file_ids: optional(
    z.array(z.guid().toLowerCase()).max(MAX_EXPORT_IDS, `at most ${MAX_EXPORT_IDS} ids`),
  ).meta({
    description:
      'Only files with these ids; ids of deleted or unknown files are left out. An empty list: no files. By default all files',
  }),
  folder_id: optional(folderOrRoot).meta({
    description: 'Only files directly in this folder, or in the `root`',
  }),
  include_subfolders: optionalWith(z.boolean(), false).meta({
    description: 'With `folder_id`: also files in the folders below it',
  }),
  flatten_tags: optionalWith(z.boolean(), true).meta({
    description: 'Tags in one cell with commas between them; false: as a JSON list',
  }),
  sheet_name: optionalWith(sheetName, 'Files').meta({
    description: 'Name of the sheet, or the heading of a document',
  }),
  google_sheets_title: optional(text(MAX_TITLE_LENGTH).min(1, 'must not be empty')).meta({
    description: 'Title of the spreadsheet; by default the name of the sheet and the date',
  }),
  connection_id: optional(z.guid().toLowerCase()).meta({
    description: 'The connection to write a spreadsheet with; required for `google_sheets`',
  }),
  ...webhookBodyFields,
});
export type FileExportBody = z.output<typeof fileExportBody>;

const result = {
  download_url: z.url().nullable().meta({
    description:
      'Temporary URL of the file, for an hour; null while there is none. Each read makes another one',
  }),
  spreadsheet_url: z.url().nullable().meta({
    description: 'URL of the spreadsheet at the provider; null for other formats, and until there is one',
  }),
};

export const fileExport = z
  .object({
    export_id: z.uuid().describe('Id of the export'),
    ...result,
    record_count: count.meta({ description: 'Number of records in the file' }),
    format: fileFormat,
    ...webhookAnswerFields,
  })
  .meta({ id: 'FileExport' });

const sourceTypes = z.array(sourceType).max(SOURCE_TYPES.length * 10);
const confidence = z.number().min(0).max(1);

export const dataExportBody = z
  .strictObject({
    data_type: optionalWith(z.literal('descriptions'), 'descriptions').meta({
      description: 'What to export',
    }),
    format: z.enum(formatsFor('descriptions')).describe('Format of the file'),
    start_date: optional(instantOrDay('start')).describe(
      'Records from then on; an ISO 8601 date, or date and time, in UTC unless it has an offset',
    ),
    end_date: optional(instantOrDay('end')).describe(
      'Records until then; an ISO 8601 date, or date and time, in UTC unless it has an offset',
    ),
    min_confidence: optional(confidence).describe(
      'Lowest score of a record; records without a score are left out',
    ),
    max_confidence: optional(confidence).describe(
      'Highest score of a record; records without a score are left out',
    ),
    search_terms: optional(
      z
        .array(text(MAX_TERM_LENGTH).min(1, 'must not be empty'))
        .max(MAX_HISTORY_TERMS, `at most ${MAX_HISTORY_TERMS} terms`),
    ).meta({
      description:
        'All of them, in the description, the title or the file name, in any case. An empty list: no records',
    }),
    source_types: optional(sourceTypes).meta({
      description: 'How the files arrived; by default all. An empty list: no records',
    }),
    include_metadata: optionalWith(z.boolean(), true).meta({
      description: 'Also what is known of the file and the model; in CSV a column for each',
    }),
    include_failed: optionalWith(z.boolean(), false).meta({
      description: 'Also files whose description failed, after all others',
    }),
    fields: optional(
      z
        .array(z.enum(HISTORY_FIELDS))
        .min(1, 'at least one field')
        .max(HISTORY_FIELDS.length * 10),
    ).meta({
      description: 'Only these fields of a record, in this order; by default all',
    }),
    limit: optionalWith(z.int().min(1).max(MAX_EXPORTED_RECORDS), MAX_EXPORTED_RECORDS).meta({
      description: 'The newest so many records',
    }),
    ...webhookBodyFields,
  })
  .refine(({ start_date: from, end_date: to }) => !from || !to || from <= to, {
    path: ['end_date'],
    message: 'must not be before start_date',
  })
  .refine(({ min_confidence: from = 0, max_confidence: to = 1 }) => from <= to, {
    path: ['max_confidence'],
    message: 'must not be below min_confidence',
  });
export type DataExportBody = z.output<typeof dataExportBody>;

export const exportParams = z.object({ export_id: idParam('Id of the export') });

const exportProgress = z
  .object({
    records: count.meta({ description: 'Number of records written so far' }),
    total_records: count
      .nullable()
      .meta({ description: 'Number of records to write; null until they are counted' }),
    percent: percentage.meta({ description: 'Share of the records that are written, in percent' }),
  })
  .meta({ id: 'ExportProgress', description: 'How much of an export is written' });

export const exportRecord = z
  .object({
    export_id: z.uuid().describe('Id of the export'),
    export_type: exportKind.meta({ description: 'What the export holds' }),
    status: exportStatus.describe('State of the export'),
    ...result,
    record_count: count
      .nullable()
      .meta({ description: 'Number of records in the file; null before it is complete' }),
    format: exportFormat.describe('Format of the file'),
    progress: componentField(exportProgress, 'Progress of the export'),
    created_at: timestamp.meta({
      description: 'When it was asked for; records that came later are not in it',
    }),
    completed_at: completedAt,
    expires_at: timestamp.nullable().meta({ description: 'When its file is removed; null if there is none' }),
    estimated_completion_time: timestamp
      .nullable()
      .describe('When the export is likely to end; null once it has ended, and while that is unknown'),
    error_message: errorMessage,
    poll_url: z.string().meta({ description: 'Path of this record' }),
  })
  .meta({ id: 'ExportRecord' });

export const exportListQuery = z.object(page(100, 20));
export const exportList = z.object(pageOf(exportRecord)).meta({ id: 'ExportList' });

/** An export started by a request. */
export const startedExport = exportRecord.extend(webhookAnswerFields).meta({ id: 'StartedExport' });
