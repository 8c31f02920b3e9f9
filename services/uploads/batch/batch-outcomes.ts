import type { EntityManager } from '@mikro-orm/postgresql';
import type { MediaType } from '../../../domain/media.ts';
import { AppError } from '../../../domain/app-error.ts';
import { outage } from '../../shared/outage.ts';
import type { FilePart } from '../streaming/intake.ts';
import { noteItem } from '../../upload-sessions/note-item.ts';

/** What became of one file, as the answer tells it. */
export interface FileOutcome {
  index: number;
  filename: string;
  elapsedMs: number;
  kind: 'accepted' | 'skipped' | 'rejected';
  /** Of its own row, or of the one that was there. */
  fileId?: string;
  objectKey?: string;
  mediaType?: MediaType;
  code?: string;
  reason?: string;
  retryable?: boolean;
}

/** AppErrors that sending the file again later may overcome. */
const RETRYABLE = new Set(['QUOTA_EXHAUSTED', 'SERVICE_UNAVAILABLE']);
const FAULTS_OF_A_FILE = new Set([
  'EMPTY_FILE',
  'UNSUPPORTED_MEDIA',
  'FILE_TOO_LARGE',
  'QUOTA_EXHAUSTED',
  'SESSION_ENDED',
]);

/** What became of the files of one batch request, for its answer and as notes of its session. */
export class BatchOutcomes {
  readonly #em: EntityManager;
  readonly #sessionId: string;
  readonly #all: FileOutcome[] = [];
  /** Whether there is a session to note them in. */
  #noting = false;

  constructor(em: EntityManager, sessionId: string) {
    this.#em = em;
    this.#sessionId = sessionId;
  }

  /** In the order of the request. */
  inOrder(): FileOutcome[] {
    return this.#all.toSorted((a, b) => a.index - b.index);
  }

  /** Notes in the session what there is, and from now on each as it comes. */
  async begin(): Promise<void> {
    this.#noting = true;
    for (const outcome of this.#all) if (outcome.kind === 'rejected') await this.#noteRejected(outcome);
  }

  async uploading({ index, filename }: FilePart): Promise<void> {
    if (!this.#noting) return;
    const key = { sessionId: this.#sessionId, index };
    await noteItem(this.#em.fork(), key, filename, { state: 'uploading' });
  }

  /** @param kind both have been noted in the transaction that made them so */
  stored(
    { index, filename, began }: FilePart,
    kind: 'accepted' | 'skipped',
    file: Required<Pick<FileOutcome, 'fileId' | 'objectKey' | 'mediaType'>>,
  ): void {
    const elapsedMs = performance.now() - began;
    this.#all.push({ index, filename, elapsedMs, kind, ...file });
  }

  async rejected({ index, filename, began }: FilePart, code: string, reason: string): Promise<void> {
    const elapsedMs = performance.now() - began;
    const retryable = RETRYABLE.has(code);
    const outcome = { index, filename, elapsedMs, kind: 'rejected', code, reason, retryable } as const;
    this.#all.push(outcome);
    // An ended session does not change any more: what comes too late is told to the client alone.
    if (this.#noting && code !== 'SESSION_ENDED') await this.#noteRejected(outcome);
  }

  /** What is the fault of the file, or of the store for a while, rejects the file; all else ends the request. */
  async rejectedFor(error: unknown, part: FilePart): Promise<void> {
    if (error instanceof AppError && FAULTS_OF_A_FILE.has(error.code)) {
      return this.rejected(part, error.code, error.message);
    }
    if (outage(error) !== 'object store') throw error;
    return this.rejected(part, 'SERVICE_UNAVAILABLE', 'the object store cannot be reached; try again');
  }

  async #noteRejected({ index, filename, code = '', reason = '', retryable = false }: FileOutcome) {
    const key = { sessionId: this.#sessionId, index };
    const error = { code, message: reason };
    await noteItem(this.#em.fork(), key, filename, { state: 'rejected', retryable, error });
  }
}
