/** The tables whose rows events report; db/webhook-triggers.ts has the payload of each. */
export type EventTable =
  | 'files'
  | 'document_pages'
  | 'upload_intents'
  | 'image_imports'
  | 'upload_sessions'
  | 'schema_extractions'
  | 'exports'
  | 'imports'
  | 'reprocessings'
  | 'document_splits'
  | 'usage_thresholds'
  | 'api_keys';

/** A committed change of a row: when a trigger of its table fires, and the SQL condition on its old and new values. */
export interface Change {
  table: EventTable;
  fires: 'insert' | `update of "${string}"`;
  condition: string;
}

const added = (table: EventTable, condition = 'true'): Change => ({ table, fires: 'insert', condition });
/** A column gets a value that satisfies `to`, an SQL predicate, from another value, or from one that satisfies `from`. */
const changed = (table: EventTable, column: string, to: string, from?: string): Change => ({
  table,
  fires: `update of "${column}"`,
  condition: `old.${column} ${from ?? `is distinct from new.${column}`} and new.${column} ${to}`,
});

/** A file of which nothing is to be processed has ended when it is stored. */
const fileEnded = (status: string): Change[] => {
  const ended = changed('files', 'primary_status', `= '${status}'`);
  const live = 'old.deleted_at is null and new.deleted_at is null';
  return [
    added('files', `new.primary_status = '${status}'`),
    { ...ended, condition: `${ended.condition} and ${live}` },
  ];
};
const SESSION_OPEN = `in ('pending', 'uploading', 'processing')`;
const sessionEnded = (statuses: string): Change[] => [
  changed('upload_sessions', 'status', `in (${statuses})`, SESSION_OPEN),
];
const uploadFailed = (condition: string): Change => {
  const failed = changed('upload_intents', 'status', `= 'FAILED'`);
  return { ...failed, condition: `${failed.condition} and ${condition}` };
};

interface WebhookEvent {
  /** What happened, for the document of the API. */
  description: string;
  /** The schema of its data in api/resources/webhook-event.ts. */
  payload: string;
  after: readonly Change[];
}

/** Every type of webhook event. Those of one change are written in this order. */
export const WEBHOOK_EVENTS = {
  'file.created': {
    description: 'A file was stored; its processing is due.',
    payload: 'FileEvent',
    after: [added('files')],
  },
  'file.completed': {
    description: 'All requested processing of a file is completed; again after each retry.',
    payload: 'FileEvent',
    after: fileEnded('completed'),
  },
  'file.partially_completed': {
    description: 'The processing of a file has ended, and a part of it failed.',
    payload: 'FileEvent',
    after: fileEnded('partially_completed'),
  },
  'file.failed': {
    description: 'The processing of a file has ended without a result.',
    payload: 'FileEvent',
    after: fileEnded('failed'),
  },
  'file.deleted': {
    description: 'A file was moved to the trash.',
    payload: 'FileEvent',
    after: [changed('files', 'deleted_at', 'is not null', 'is null')],
  },
  'file.restored': {
    description: 'A file was restored from the trash.',
    payload: 'FileEvent',
    after: [changed('files', 'deleted_at', 'is null', 'is not null')],
  },
  'document.page.failed': {
    description: 'A page of a document could not be read.',
    payload: 'PageEvent',
    after: [changed('document_pages', 'status', `= 'failed'`)],
  },
  'upload.completed': {
    description: 'The bytes of a direct upload, or behind the URL of an image, became a file.',
    payload: 'UploadEvent',
    after: [
      changed('upload_intents', 'status', `= 'COMPLETED'`),
      changed('image_imports', 'status', `= 'completed'`),
    ],
  },
  'upload.failed': {
    description: 'A direct upload was aborted or rejected, or the image behind a URL could not be fetched.',
    payload: 'UploadEvent',
    after: [
      uploadFailed(`new.error->>'code' is distinct from 'UPLOAD_EXPIRED'`),
      changed('image_imports', 'status', `= 'failed'`),
    ],
  },
  'upload.expired': {
    description: 'A direct upload was not completed in time.',
    payload: 'UploadEvent',
    after: [uploadFailed(`new.error->>'code' = 'UPLOAD_EXPIRED'`)],
  },
  'batch.started': {
    description: 'An upload session began; again when its failed files are retried.',
    payload: 'BatchEvent',
    after: [
      added('upload_sessions', `new.status ${SESSION_OPEN}`),
      changed('upload_sessions', 'status', SESSION_OPEN, `not ${SESSION_OPEN}`),
    ],
  },
  'batch.completed': {
    description: 'All files of an upload session have ended; its status is `failed` if each of them failed.',
    payload: 'BatchEvent',
    after: sessionEnded(`'completed', 'failed'`),
  },
  'batch.cancelled': {
    description: 'An upload session was cancelled.',
    payload: 'BatchEvent',
    after: sessionEnded(`'cancelled'`),
  },
  'batch.expired': {
    description: 'An upload session was not completed in time.',
    payload: 'BatchEvent',
    after: sessionEnded(`'expired'`),
  },
  'extraction.completed': {
    description: 'An extraction by a schema has a result.',
    payload: 'ExtractionEvent',
    after: [changed('schema_extractions', 'status', `= 'completed'`)],
  },
  'extraction.failed': {
    description: 'An extraction by a schema has ended without a result.',
    payload: 'ExtractionEvent',
    after: [changed('schema_extractions', 'status', `= 'failed'`)],
  },
  'export.completed': {
    description: 'An export can be downloaded.',
    payload: 'ExportEvent',
    after: [changed('exports', 'status', `= 'completed'`)],
  },
  'export.failed': {
    description: 'An export failed or was cancelled.',
    payload: 'ExportEvent',
    after: [changed('exports', 'status', `= 'failed'`)],
  },
  'import.started': {
    description: 'An import of files was accepted.',
    payload: 'ImportEvent',
    after: [added('imports')],
  },
  'import.paused': {
    description: 'An import was paused, or waits for credits or its source.',
    payload: 'ImportEvent',
    after: [changed('imports', 'status', `in ('paused', 'waiting')`)],
  },
  'import.resumed': {
    description: 'An import goes on that was paused, waited or had ended.',
    payload: 'ImportEvent',
    after: [changed('imports', 'status', `in ('pending', 'running')`, `not in ('pending', 'running')`)],
  },
  'import.completed': {
    description: 'Everything that an import has found is imported, was skipped or has failed.',
    payload: 'ImportEvent',
    after: [changed('imports', 'status', `= 'completed'`)],
  },
  'import.failed': {
    description: 'An import cannot go on.',
    payload: 'ImportEvent',
    after: [changed('imports', 'status', `= 'failed'`)],
  },
  'import.cancelled': {
    description: 'An import was cancelled.',
    payload: 'ImportEvent',
    after: [changed('imports', 'status', `= 'cancelled'`)],
  },
  'reprocessing.completed': {
    description: 'All files of a reprocessing have ended.',
    payload: 'ReprocessingEvent',
    after: [changed('reprocessings', 'status', `= 'completed'`)],
  },
  'reprocessing.failed': {
    description: 'A reprocessing cannot go on; files that have ended keep their results.',
    payload: 'ReprocessingEvent',
    after: [changed('reprocessings', 'status', `= 'failed'`)],
  },
  'reprocessing.paused': {
    description: 'A reprocessing begins no further files: by request, or because credits are used up.',
    payload: 'ReprocessingEvent',
    after: [changed('reprocessings', 'status', `= 'paused'`)],
  },
  'split.completed': {
    description: 'The documents in a PDF were found, and each is a file unless they were only proposed.',
    payload: 'SplitEvent',
    after: [changed('document_splits', 'status', `= 'completed'`)],
  },
  'split.failed': {
    description: 'A PDF could not be divided, or only in part.',
    payload: 'SplitEvent',
    after: [changed('document_splits', 'status', `= 'failed'`)],
  },
  'split.cancelled': {
    description: 'The division of a PDF was cancelled; parts that are files stay.',
    payload: 'SplitEvent',
    after: [changed('document_splits', 'status', `= 'cancelled'`)],
  },
  'usage.threshold_reached': {
    description: 'A share of the credits of the month was used, once for each share.',
    payload: 'UsageThresholdEvent',
    after: [added('usage_thresholds')],
  },
  'api_key.created': {
    description: 'An API key was created.',
    payload: 'ApiKeyEvent',
    after: [added('api_keys')],
  },
} as const satisfies Readonly<Record<string, WebhookEvent>>;
export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;
export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as WebhookEventType[];

/** Sent only by `POST /webhooks/subscriptions/{id}/test`; subscriptions cannot select it. */
export const TEST_EVENT_TYPE = 'webhook.test';

/** The patterns of a subscription: all events, all events of a noun (`file.*`), or one type. */
export type EventPattern = '*' | `${string}.*` | WebhookEventType;
export const EVENT_PATTERNS: readonly EventPattern[] = [
  '*',
  ...new Set(WEBHOOK_EVENT_TYPES.map((type): EventPattern => `${type.slice(0, type.indexOf('.'))}.*`)),
  ...WEBHOOK_EVENT_TYPES,
];

/** The kinds of resources that can have a `webhook_url` in their request. */
export const WEBHOOK_SUBJECTS = ['file', 'batch', 'extraction', 'export'] as const;
export type WebhookSubject = (typeof WEBHOOK_SUBJECTS)[number];
