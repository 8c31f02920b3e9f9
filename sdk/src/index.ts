export type { Answer, AskEvent, AskOptions } from './ask.ts';
export type { Api, Body, Data, PathsOf, Query } from './api.ts';
export { Darkroom } from './darkroom.ts';
export type {
  ExportRecord,
  FileDetail,
  RawRequest,
  LinkAnswer,
  NewLink,
  SearchAnswer,
  SimilarImage,
  Variant,
} from './darkroom.ts';
export { ApiError, ConnectionError, DarkroomError, type FieldError } from './errors.ts';
export type { LiveEvent } from './events.ts';
export type { Extracted, ExtractOptions, ExtractSource, JsonSchema, StandardSchema } from './extract.ts';
export type { components, operations, paths } from './openapi.ts';
export type { Entry, ListOptions, ListPath } from './paginate.ts';
export { sha256 } from './sha256.ts';
export type { UploadSource } from './sources.ts';
export {
  isRetryable,
  pauseMs,
  type Retryable,
  type SendOptions,
  type TransportOptions,
} from './transport.ts';
export type { DirectOptions, ResumeOptions } from './upload-direct.ts';
export type { Progress, Uploaded, UploadFields, UploadOptions, UploadOutcome } from './upload-fields.ts';
export type { BatchAnswer } from './upload-form.ts';
export type { ManyOptions } from './upload-many.ts';
export type { WaitOptions } from './wait.ts';
export { verifyWebhook, type WebhookEvent, type WebhookHeaders, type WebhookOptions } from './webhooks.ts';
