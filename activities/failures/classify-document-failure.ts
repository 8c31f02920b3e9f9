import {
  ReaderCrashed,
  UnreadableDocument,
  type UnreadableReason,
} from '../../adapters/document-reader/index.ts';
import { RecogniserCrashed, RecogniserTimeout } from '../../adapters/models/ocr/text-recogniser.ts';
import { TextOverBudget } from '../../adapters/text-work/errors.ts';
import { ObjectNotFound } from '../../adapters/object-store/errors.ts';
import { AppError } from '../../domain/app-error.ts';
import type { FailureClass } from '../attempt.ts';
import { classifyIndexFailure } from './classify-index-failure.ts';
import { classifyModelFailure } from './classify-model-failure.ts';

const CODES: Readonly<Record<UnreadableReason, string>> = {
  encrypted: 'DOCUMENT_ENCRYPTED',
  damaged: 'DOCUMENT_DAMAGED',
  too_many_pages: 'DOCUMENT_TOO_MANY_PAGES',
  too_large: 'DOCUMENT_TOO_LARGE',
  took_too_long: 'DOCUMENT_TOO_SLOW',
  empty: 'DOCUMENT_EMPTY',
};

/** Classifies failures to read, recognise, embed or index a document. */
export function classifyDocumentFailure(error: unknown): FailureClass | undefined {
  if (error instanceof UnreadableDocument || error instanceof TextOverBudget) {
    return { kind: 'permanent', code: CODES[error.reason], message: error.message };
  }
  if (error instanceof ObjectNotFound) {
    return {
      kind: 'permanent',
      code: 'ORIGINAL_MISSING',
      message: 'the original is gone from the object store',
    };
  }
  if (error instanceof ReaderCrashed) {
    return { kind: 'counted', code: 'READER_CRASHED', message: 'the document crashed its reader' };
  }
  // The credits that its pages cost. The bucket of a tenant fails with AppErrors too, and is waited for.
  if (error instanceof AppError && error.code === 'QUOTA_EXHAUSTED') {
    return { kind: 'permanent', code: error.code, message: error.message };
  }
  if (error instanceof RecogniserCrashed) {
    return { kind: 'counted', code: 'RECOGNISER_CRASHED', message: 'the page crashed the text recogniser' };
  }
  if (error instanceof RecogniserTimeout) {
    return { kind: 'permanent', code: 'RECOGNISER_TIMEOUT', message: error.message };
  }
  return classifyModelFailure(error) ?? classifyIndexFailure(error);
}
