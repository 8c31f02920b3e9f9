import { BrowserBusy } from '../adapters/browser/screenshots.ts';
import { DecoderCrashed, DecoderTimeout, ImageRefused } from '../engines/image-decoder/errors.ts';
import { ObjectNotFound, ObjectTooLarge } from '../adapters/object-store/object-store.ts';
import type { FailureClass } from './attempt.ts';
import { VectorIndexError } from '../adapters/vector-index/vector-index.ts';
import { isFinal, ModelError } from '../adapters/models/model-error.ts';
import { WebFetchError } from '../adapters/web-fetch/web-fetch-error.ts';
import { NotAPage } from '../adapters/web-fetch/fetch-page.ts';
import { PageParserCrashed, UnreadablePage } from '../engines/page-parser/page-parser.ts';
import { AppError } from '../domain/app-error.ts';
import { isBucketFailure } from '../domain/bucket-failure.ts';
import { crawlFailure } from '../domain/links/crawl-failure.ts';
import { ReaderCrashed } from '../engines/document-reader/document-reader.ts';
import { UnreadableDocument, type UnreadableReason } from 'darkroom-reader';
import { RecogniserCrashed, RecogniserTimeout } from '../engines/text-recogniser/text-recogniser.ts';
import { TextOverBudget } from '../engines/text-work/errors.ts';
import { ConvertedToFile } from '../services/links/convert-to-file.ts';
import { DuplicateLink } from '../services/links/find-links.ts';
import { HostBusy } from '../services/links/host-slots.ts';
import { OtherModelNeeded } from '../services/media/vector-collections.ts';
import { BROWSER_BUSY, DUPLICATE_LINK, HOST_BUSY } from '../temporal/contract/failures.ts';

/** Classifies failures to read or decode an image. */
export function classifyImageFailure(error: unknown): FailureClass | undefined {
  if (error instanceof ImageRefused) return { kind: 'permanent', code: error.code, message: error.message };
  if (error instanceof ObjectTooLarge) {
    return {
      kind: 'permanent',
      code: 'IMAGE_TOO_LARGE',
      message: 'the image has too many bytes to be decoded',
    };
  }
  if (error instanceof ObjectNotFound) {
    return {
      kind: 'permanent',
      code: 'ORIGINAL_MISSING',
      message: 'the original is gone from the object store',
    };
  }
  if (error instanceof DecoderCrashed) {
    return { kind: 'counted', code: 'DECODER_CRASHED', message: 'the decoder crashed on this image' };
  }
  if (error instanceof DecoderTimeout) {
    return { kind: 'permanent', code: 'DECODER_TIMEOUT', message: error.message };
  }
  return undefined;
}

/** Classifies failures to recognise the text in an image. */
export function classifyRecognitionFailure(error: unknown): FailureClass | undefined {
  if (error instanceof RecogniserCrashed) {
    return {
      kind: 'counted',
      code: 'RECOGNISER_CRASHED',
      message: 'the text recogniser crashed on this image',
    };
  }
  if (error instanceof RecogniserTimeout) {
    return { kind: 'permanent', code: 'RECOGNISER_TIMEOUT', message: error.message };
  }
  return classifyImageFailure(error);
}

/** Classifies failures to compute the vector of an image or to write it to the index. */
export function classifyImageIndexFailure(error: unknown): FailureClass | undefined {
  return classifyModelFailure(error) ?? classifyIndexFailure(error);
}

/** Classifies failures to write to the index. */
export function classifyIndexFailure(error: unknown): FailureClass | undefined {
  if (error instanceof VectorIndexError && error.code !== 'VECTOR_INDEX_UNAVAILABLE') {
    return { kind: 'permanent', code: error.code, message: error.message };
  }
  // Of a deployment that is in progress.
  if (error instanceof OtherModelNeeded) {
    return { kind: 'retryable', code: 'OTHER_MODEL_NEEDED', message: error.message, expected: true };
  }
  return classifyImageFailure(error);
}

/**
 * Classifies failures of a model. Outages and rate limits are retried without limit; invalid replies are counted, since
 * an endpoint may repeat them. A model that was shown its errors is not called again.
 */
export function classifyModelFailure(error: unknown): FailureClass | undefined {
  if (!(error instanceof ModelError)) return undefined;
  const { code, message, retryAfterSeconds } = error;
  if (isFinal(error)) return { kind: 'permanent', code, message };
  if (code === 'MODEL_INVALID_REPLY') return { kind: 'counted', code, message };
  return { kind: 'retryable', code, message, retryAfterSeconds };
}

/** Classifies failures of web fetches: temporary ones are retried a few times. */
export function classifyWebFailure(error: unknown): FailureClass | undefined {
  if (error instanceof WebFetchError) {
    const { code, message, retryable } = error;
    return { kind: retryable ? 'counted' : 'permanent', code, message };
  }
  if (error instanceof AppError) return { kind: 'permanent', code: error.code, message: error.message };
  return undefined;
}

const UNREADABLE_PAGE: Readonly<Record<UnreadablePage['reason'], string>> = {
  took_too_long: 'PAGE_TOO_SLOW',
  too_large: 'PAGE_TOO_LARGE',
  damaged: 'PAGE_DAMAGED',
};

/**
 * Classifies failures of a crawl: temporary errors of a site are retried a few times, after its
 * `Retry-After`.
 */
export function classifyLinkFailure(error: unknown): FailureClass | undefined {
  if (error instanceof WebFetchError) {
    const { code, message, isRetryable, retryAfterSeconds } = crawlFailure(error);
    return isRetryable
      ? { kind: 'counted', code, message, retryAfterSeconds }
      : { kind: 'permanent', code, message };
  }
  const { message } = error instanceof Error ? error : { message: '' };
  if (error instanceof HostBusy || error instanceof BrowserBusy) {
    const { retryAfterSeconds } = error;
    const code = error instanceof HostBusy ? HOST_BUSY : BROWSER_BUSY;
    return { kind: 'retryable', code, message, retryAfterSeconds, expected: true };
  }
  if (error instanceof NotAPage) return { kind: 'permanent', code: 'NOT_A_PAGE', message };
  if (error instanceof DuplicateLink) return { kind: 'permanent', code: DUPLICATE_LINK, message };
  if (error instanceof ConvertedToFile)
    return { kind: 'permanent', code: 'BECAME_ANOTHER_MEDIUM', message, expected: true };
  if (error instanceof UnreadablePage)
    return { kind: 'permanent', code: UNREADABLE_PAGE[error.reason], message };
  if (error instanceof PageParserCrashed)
    return { kind: 'counted', code: 'PARSER_CRASHED', message: 'the parser crashed on this page' };
  // Except failures of a tenant's bucket, which are also AppErrors and retryable.
  if (error instanceof AppError && !isBucketFailure(error))
    return { kind: 'permanent', code: error.code, message };
  return undefined;
}

const UNREADABLE_CODES: Readonly<Record<UnreadableReason, string>> = {
  encrypted: 'DOCUMENT_ENCRYPTED',
  damaged: 'DOCUMENT_DAMAGED',
  too_many_pages: 'DOCUMENT_TOO_MANY_PAGES',
  too_large: 'DOCUMENT_TOO_LARGE',
  took_too_long: 'DOCUMENT_TOO_SLOW',
  budget_spent: 'DOCUMENT_BUDGET_SPENT',
  empty: 'DOCUMENT_EMPTY',
};

/** Classifies failures to read, recognise, embed or index a document. */
export function classifyDocumentFailure(error: unknown): FailureClass | undefined {
  if (error instanceof UnreadableDocument || error instanceof TextOverBudget) {
    return { kind: 'permanent', code: UNREADABLE_CODES[error.reason], message: error.message };
  }
  if (error instanceof ObjectNotFound) {
    return {
      kind: 'permanent',
      code: 'ORIGINAL_MISSING',
      message: 'the original is gone from the object store',
    };
  }
  if (error instanceof ReaderCrashed) {
    return { kind: 'counted', code: 'READER_CRASHED', message: 'the reader crashed on this document' };
  }
  // Not enough credits for the pages. Failures of a tenant's bucket are also AppErrors, but retryable.
  if (error instanceof AppError && error.code === 'QUOTA_EXHAUSTED') {
    return { kind: 'permanent', code: error.code, message: error.message };
  }
  if (error instanceof RecogniserCrashed) {
    return {
      kind: 'counted',
      code: 'RECOGNISER_CRASHED',
      message: 'the text recogniser crashed on this page',
    };
  }
  if (error instanceof RecogniserTimeout) {
    return { kind: 'permanent', code: 'RECOGNISER_TIMEOUT', message: error.message };
  }
  return classifyModelFailure(error) ?? classifyIndexFailure(error);
}
