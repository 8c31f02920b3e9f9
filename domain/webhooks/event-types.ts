/** Every type of webhook event, with its description. */
export const WEBHOOK_EVENTS = {
  'file.created': 'A file was stored; its processing is due.',
  'file.completed': 'All requested processing of a file is completed; again after each retry.',
  'file.partially_completed': 'The processing of a file has ended, and a part of it failed.',
  'file.failed': 'The processing of a file has ended without a result.',
  'file.deleted': 'A file was moved to the trash.',
  'file.restored': 'A file was restored from the trash.',
  'document.page.failed': 'A page of a document could not be read.',
  'upload.completed': 'The bytes of a direct upload, or behind the URL of an image, became a file.',
  'upload.failed': 'A direct upload was aborted or rejected, or the image behind a URL could not be fetched.',
  'upload.expired': 'A direct upload was not completed in time.',
  'batch.started': 'An upload session began; again when its failed files are retried.',
  'batch.completed':
    'All files of an upload session have ended; its status is `failed` if each of them failed.',
  'batch.cancelled': 'An upload session was cancelled.',
  'batch.expired': 'An upload session was not completed in time.',
  'extraction.completed': 'An extraction by a schema has a result.',
  'extraction.failed': 'An extraction by a schema has ended without a result.',
  'export.completed': 'An export can be downloaded.',
  'export.failed': 'An export failed or was cancelled.',
  'usage.threshold_reached': 'A share of the credits of the month was used, once for each share.',
  'api_key.created': 'An API key was created.',
} as const satisfies Readonly<Record<string, string>>;
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
