import { z } from 'zod';
import { TEST_EVENT_TYPE, WEBHOOK_EVENTS, WEBHOOK_EVENT_TYPES } from '../../domain/webhooks/events.ts';
import { importStatus, reprocessingStatus, sessionStatus, splitStatus } from './enums.ts';
import { componentField, count, mediaType, primaryStatus, timestamp } from './fields.ts';

/** The schemas of webhook requests; the triggers of db/webhook-triggers.ts write the data. */

const links = componentField(
  z.record(z.string(), z.url()).meta({ id: 'EventLinks' }),
  'URLs of the resources whose ids are in the event, by noun',
);

const fileId = z.uuid().describe('Id of the file');
const ofSession = z.uuid().optional().describe('Id of its upload session; absent without one');
const endStatus = z.enum(['completed', 'failed']).meta({ id: 'EndStatus' });

/** The data of each payload, by the title of its events' schema. */
const PAYLOADS = {
  FileEvent: { file_id: fileId, session_id: ofSession, media_type: mediaType, status: primaryStatus },
  PageEvent: {
    file_id: fileId,
    session_id: ofSession,
    page_number: z.int().min(1).describe('Number of the page, from 1'),
    status: z.literal('failed').describe('How reading the page ended'),
  },
  UploadEvent: {
    upload_id: z.uuid().optional().describe('Id of the direct upload; absent for an image by its URL'),
    job_id: z
      .uuid()
      .optional()
      .describe('Id of the import of an image by its URL; absent for a direct upload'),
    session_id: ofSession,
    file_id: z
      .uuid()
      .optional()
      .describe('Id of the file, or of the one that it duplicates; absent without one'),
    // Not an enum: a Python generator rejects values that differ only in case.
    status: z.string().describe('`completed` or `failed`; in upper case for a direct upload'),
  },
  BatchEvent: {
    session_id: z.uuid().describe('Id of the upload session'),
    status: sessionStatus.describe('State of the upload session then'),
  },
  ExtractionEvent: {
    extraction_id: z.uuid().describe('Id of the extraction'),
    file_id: z.uuid().optional().describe('Id of the file; absent for content that was not stored'),
    status: endStatus.describe('How the extraction ended'),
  },
  ExportEvent: {
    export_id: z.uuid().describe('Id of the export'),
    status: endStatus.describe('How the export ended'),
  },
  ImportEvent: {
    import_id: z.uuid().describe('Id of the import'),
    status: importStatus.describe('State of the import then'),
  },
  ReprocessingEvent: {
    reprocessing_id: z.uuid().describe('Id of the reprocessing'),
    status: reprocessingStatus.describe('State of the reprocessing then'),
  },
  SplitEvent: {
    split_id: z.uuid().describe('Id of the split'),
    file_id: fileId,
    status: splitStatus.describe('State of the split then'),
  },
  UsageThresholdEvent: {
    month: z.string().describe('The month, such as `2026-11`'),
    threshold_percent: count.describe('The share of the credits that was reached'),
    credits_used: count.describe('Credits used in the month'),
    credits_limit: count.describe('Credits of the month'),
  },
  ApiKeyEvent: { key_id: z.string().describe('Id of the API key') },
  TestEvent: { webhook_id: z.uuid().describe('Id of the webhook') },
} satisfies Record<string, z.ZodRawShape>;

const PAYLOAD_OF: Readonly<Record<string, keyof typeof PAYLOADS>> = {
  ...Object.fromEntries(WEBHOOK_EVENT_TYPES.map((type) => [type, WEBHOOK_EVENTS[type].payload])),
  [TEST_EVENT_TYPE]: 'TestEvent',
};

/** The body of the events that have a payload in common, with its title. */
export const EVENT_BODIES = Object.entries(PAYLOADS).map(([title, payload]) => {
  const types = Object.keys(PAYLOAD_OF).filter((type) => PAYLOAD_OF[type] === title);
  const data = z.object({ ...payload, links });
  const schema = z
    .object({
      type: z.enum(types).describe('Type of the event'),
      timestamp: timestamp.describe('When it happened'),
      data: data.describe('Ids and statuses of the resource, with links'),
    })
    .meta({ title });
  return { title, types, data, schema };
});

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
