import { z } from 'zod';
import { TEST_EVENT_TYPE, type WebhookEventType } from '../../domain/webhooks/event-types.ts';
import { sessionStatus } from './enums.ts';
import { componentField, count, mediaType, primaryStatus, timestamp } from './fields.ts';

/** The schemas of webhook requests; the triggers of the migration `webhooks` write the data. */

const links = componentField(
  z.record(z.string(), z.url()).meta({ id: 'EventLinks' }),
  'URLs of the resources whose ids are in the event, by noun',
);

const fileId = z.uuid().describe('Id of the file');
const ofSession = z.uuid().optional().describe('Id of its upload session; absent without one');
const endStatus = z.enum(['completed', 'failed']).meta({ id: 'EndStatus' });

function body<Types extends readonly [string, ...string[]], Data extends z.ZodRawShape>(
  title: string,
  types: Types,
  data: Data,
) {
  return z
    .object({
      type: z.enum(types).describe('Type of the event'),
      timestamp: timestamp.describe('When it happened'),
      data: z.object({ ...data, links }).describe('Ids and statuses of the resource, with links'),
    })
    .meta({ title });
}

const ofFile = body(
  'FileEvent',
  [
    'file.created',
    'file.completed',
    'file.partially_completed',
    'file.failed',
    'file.deleted',
    'file.restored',
  ],
  { file_id: fileId, session_id: ofSession, media_type: mediaType, status: primaryStatus },
);
const ofPage = body('PageEvent', ['document.page.failed'], {
  file_id: fileId,
  session_id: ofSession,
  page_number: z.int().min(1).describe('Number of the page, from 1'),
  status: z.literal('failed').describe('How reading the page ended'),
});
const ofUpload = body('UploadEvent', ['upload.completed', 'upload.failed', 'upload.expired'], {
  upload_id: z.uuid().optional().describe('Id of the direct upload; absent for an image by its URL'),
  job_id: z.uuid().optional().describe('Id of the import of an image by its URL; absent for a direct upload'),
  session_id: ofSession,
  file_id: z
    .uuid()
    .optional()
    .describe('Id of the file, or of the one that it duplicates; absent without one'),
  // Not an enum: a Python generator rejects values that differ only in case.
  status: z.string().describe('`completed` or `failed`; in upper case for a direct upload'),
});
const ofBatch = body('BatchEvent', ['batch.started', 'batch.completed', 'batch.cancelled', 'batch.expired'], {
  session_id: z.uuid().describe('Id of the upload session'),
  status: sessionStatus.describe('State of the upload session then'),
});
const ofExtraction = body('ExtractionEvent', ['extraction.completed', 'extraction.failed'], {
  extraction_id: z.uuid().describe('Id of the extraction'),
  file_id: z.uuid().optional().describe('Id of the file; absent for content that was not stored'),
  status: endStatus.describe('How the extraction ended'),
});
const ofExport = body('ExportEvent', ['export.completed', 'export.failed'], {
  export_id: z.uuid().describe('Id of the export'),
  status: endStatus.describe('How the export ended'),
});
const ofUsage = body('UsageThresholdEvent', ['usage.threshold_reached'], {
  month: z.string().describe('The month, such as `2026-11`'),
  threshold_percent: count.describe('The share of the credits that was reached'),
  credits_used: count.describe('Credits used in the month'),
  credits_limit: count.describe('Credits of the month'),
});
const ofKey = body('ApiKeyEvent', ['api_key.created'], { key_id: z.string().describe('Id of the API key') });
const ofTest = body('TestEvent', [TEST_EVENT_TYPE], { webhook_id: z.uuid().describe('Id of the webhook') });

/** The body of each type of event, with a title. */
export const EVENT_BODIES = {
  'file.created': ofFile,
  'file.completed': ofFile,
  'file.partially_completed': ofFile,
  'file.failed': ofFile,
  'file.deleted': ofFile,
  'file.restored': ofFile,
  'document.page.failed': ofPage,
  'upload.completed': ofUpload,
  'upload.failed': ofUpload,
  'upload.expired': ofUpload,
  'batch.started': ofBatch,
  'batch.completed': ofBatch,
  'batch.cancelled': ofBatch,
  'batch.expired': ofBatch,
  'extraction.completed': ofExtraction,
  'extraction.failed': ofExtraction,
  'export.completed': ofExport,
  'export.failed': ofExport,
  'usage.threshold_reached': ofUsage,
  'api_key.created': ofKey,
  [TEST_EVENT_TYPE]: ofTest,
} satisfies Record<WebhookEventType | typeof TEST_EVENT_TYPE, z.ZodObject>;

/** The headers of Standard Webhooks 1.0. */
export const eventHeaders = z.object({
  'webhook-id': z
    .uuid()
    .describe('Id of the event: the same in each attempt and redelivery, so that duplicates are recognised'),
  'webhook-timestamp': z.string().describe('When the attempt was made, in seconds since 1970'),
  'webhook-signature': z
    .string()
    .describe(
      '`v1,` and the base64 of the HMAC-SHA-256 of id, timestamp and body, joined by dots; several, separated by spaces, while a rotated secret is still valid',
    ),
});
