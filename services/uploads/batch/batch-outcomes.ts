import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { MediaType } from '../../../domain/media.ts';
import { AppError, type ErrorCode } from '../../../domain/app-error.ts';
import { BUCKET_FAILURES } from '../../../domain/bucket-failure.ts';
import { isStorageFull, outage } from '../../shared/outage.ts';
import type { FilePart } from '../streaming/intake.ts';
import { recordItemWhileOpen } from '../../upload-sessions/note-item.ts';

/** The outcome of one file, as reported in the response. */
export interface FileOutcome {
  index: number;
  filename: string;
  elapsedMs: number;
  kind: 'accepted' | 'skipped' | 'rejected';
  /** Of its own row, or of the existing file. */
  fileId?: string;
  objectKey?: string;
  mediaType?: MediaType;
  file?: StoredFile;
  code?: string;
  reason?: string;
  retryable?: boolean;
}

/** Retryable AppErrors: uploading the file again later may succeed. */
const RETRYABLE = new Set<string>([
  'QUOTA_EXHAUSTED',
  'SERVICE_UNAVAILABLE',
  'STORAGE_FULL',
  ...BUCKET_FAILURES,
]);
/** Errors of one file, or of the bucket that it goes to. */
const FAULTS_OF_A_FILE = new Set<ErrorCode>([
  'EMPTY_FILE',
  'UNSUPPORTED_MEDIA',
  'FILE_TOO_LARGE',
  'QUOTA_EXHAUSTED',
  'UPLOAD_SESSION_ENDED',
  // Its folder was deleted after the request had begun.
  'NOT_FOUND',
  ...BUCKET_FAILURES,
]);

/** The outcomes of the files of one batch request, for its response and for its session. */
export class BatchOutcomes {
  readonly #em: EntityManager;
  readonly #sessionId: string;
  readonly #all: FileOutcome[] = [];
  /** Whether the session is open, so that outcomes are recorded in it. */
  #recording = false;

  constructor(em: EntityManager, sessionId: string) {
    this.#em = em;
    this.#sessionId = sessionId;
  }

  /** In the order of the request. */
  inOrder(): FileOutcome[] {
    return this.#all.toSorted((a, b) => a.index - b.index);
  }

  /** Records the outcomes so far in the session, and from now on each as it occurs. */
  async begin(): Promise<void> {
    this.#recording = true;
    for (const outcome of this.#all) if (outcome.kind === 'rejected') await this.#noteRejected(outcome);
  }

  async uploading({ index, filename }: FilePart): Promise<void> {
    if (!this.#recording) return;
    const key = { sessionId: this.#sessionId, index };
    await recordItemWhileOpen(this.#em.fork(), key, filename, { state: 'uploading' });
  }

  /** @param kind both were already recorded in the transaction that stored or skipped the file */
  stored(
    { index, filename, began }: FilePart,
    kind: 'accepted' | 'skipped',
    file: Required<Pick<FileOutcome, 'fileId' | 'objectKey' | 'mediaType' | 'file'>>,
  ): void {
    const elapsedMs = performance.now() - began;
    this.#all.push({ index, filename, elapsedMs, kind, ...file });
  }

  async rejected({ index, filename, began }: FilePart, code: string, reason: string): Promise<void> {
    const elapsedMs = performance.now() - began;
    const retryable = RETRYABLE.has(code);
    const outcome = { index, filename, elapsedMs, kind: 'rejected', code, reason, retryable } as const;
    this.#all.push(outcome);
    if (this.#recording) await this.#noteRejected(outcome);
  }

  /** Errors caused by the file, and store outages, reject the file; all others end the request. */
  async rejectedFor(error: unknown, part: FilePart): Promise<void> {
    if (error instanceof AppError && FAULTS_OF_A_FILE.has(error.code)) {
      return this.rejected(part, error.code, error.message);
    }
    if (outage(error) !== 'object store') throw error;
    if (isStorageFull(error))
      return this.rejected(part, 'STORAGE_FULL', 'the server has no room left; try again later');
    return this.rejected(part, 'SERVICE_UNAVAILABLE', 'the object store cannot be reached; try again');
  }

  async #noteRejected({ index, filename, code = '', reason = '', retryable = false }: FileOutcome) {
    const key = { sessionId: this.#sessionId, index };
    const error = { code, message: reason };
    await recordItemWhileOpen(this.#em.fork(), key, filename, { state: 'rejected', retryable, error });
  }
}
