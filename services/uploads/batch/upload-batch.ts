import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { AppError } from '../../../domain/app-error.ts';
import type { Principal } from '../../accounts/principal.ts';
import { discardObject } from '../claimed-objects.ts';
import type { IngestOutcome, UploadAttributes } from '../ingest-file.ts';
import { acceptUpload } from '../streaming/accept-upload.ts';
import {
  storePart,
  missingFile,
  type StoredPart,
  type StorePartDeps,
  type IncomingPart,
  type UploadRequest,
} from '../streaming/store-part.ts';
import { BatchUploadSession, type BatchUploadSessionDeps } from './batch-upload-session.ts';
import { rejection, rejectionOf, type FileOutcome, type Rejection } from './file-outcome.ts';

export type UploadBatchDeps = StorePartDeps & BatchUploadSessionDeps;

export interface UploadedBatch {
  sessionId: string;
  /** File outcomes in request order. */
  outcomes: FileOutcome[];
}

/** Errors of a broken connection, after which the session keeps the files received so far. */
const BROKEN_OFF = new Set(['CLIENT_GONE', 'BAD_REQUEST']);

/**
 * Uploads the files of one request, one after another, into a new upload session. A bad file is rejected with
 * a reason and does not end the request.
 *
 * Files are accepted as they arrive if text fields precede them, otherwise at the end of the request. Those accepted
 * are kept if the connection breaks; any other error of the request cancels them.
 *
 * @param maxFiles files beyond this are rejected
 */
export async function uploadBatch(
  deps: UploadBatchDeps,
  principal: Principal,
  request: UploadRequest,
  maxFiles: number,
): Promise<UploadedBatch> {
  const batch = new Batch(deps, principal, request, maxFiles);
  try {
    for await (const part of request.files) await batch.take(part);
    await batch.finish();
  } catch (error) {
    await batch
      .breakOff(error)
      .catch((trouble: unknown) => deps.onError(trouble, 'cleanup of a failed upload is left to the sweep'));
    throw error;
  }
  return batch.result();
}

/** A file of the request; `began` is its start, from `performance.now()`. */
interface BatchFile {
  index: number;
  filename: string;
  began: number;
}

class Batch {
  readonly #deps: UploadBatchDeps;
  readonly #principal: Principal;
  readonly #request: UploadRequest;
  readonly #maxFiles: number;
  readonly #session: BatchUploadSession;
  readonly #outcomes: FileOutcome[] = [];
  /** Set once the session is open; all files are then accepted with these attributes. */
  #attributes: Omit<UploadAttributes, 'webhook'> | undefined;
  #pending: { file: BatchFile; stored: StoredPart }[] = [];
  #taken = 0;

  constructor(deps: UploadBatchDeps, principal: Principal, request: UploadRequest, maxFiles: number) {
    this.#deps = deps;
    this.#principal = principal;
    this.#request = request;
    this.#maxFiles = maxFiles;
    this.#session = new BatchUploadSession(deps, principal);
  }

  /**
   * Receives one file completely.
   *
   * @throws errors that end the request: CLIENT_GONE, a database outage
   */
  async take(part: IncomingPart): Promise<void> {
    if (part.attributes) await this.#begin(part.attributes);
    const { index, filename } = part;
    const file = { index, filename, began: performance.now() };
    if (await this.#admits(file)) {
      try {
        this.#pending.push({ file, stored: await storePart(this.#deps, part) });
      } catch (error) {
        await this.#reject(file, rejectionOf(error));
      }
      await this.#acceptPending();
    } else {
      part.stream.resume();
    }
    this.#taken += 1;
  }

  /** The request is complete. */
  async finish(): Promise<void> {
    if (this.#taken === 0) throw missingFile(this.#request);
    await this.#end('client');
  }

  /** The request failed. After a broken connection, the files received are kept; otherwise everything is undone. */
  async breakOff(error: unknown): Promise<void> {
    if (error instanceof AppError && !BROKEN_OFF.has(error.code)) return this.#undo();
    try {
      if (this.#attributes || this.#taken > 0) await this.#end('connection');
    } catch (failure) {
      await this.#undo();
      throw failure;
    }
  }

  result(): UploadedBatch {
    const outcomes = this.#outcomes.toSorted((a, b) => a.index - b.index);
    return { sessionId: this.#session.id, outcomes };
  }

  /** Opens the session, and records the rejections so far in it. */
  async #begin({ webhook, ...attributes }: UploadAttributes): Promise<void> {
    if (this.#attributes) return;
    await this.#session.open(webhook);
    for (const outcome of this.#outcomes) {
      if (outcome.kind === 'rejected') await this.#session.recordRejected(outcome);
    }
    this.#attributes = attributes;
  }

  /** Whether to read the bytes of a file; records the reason if not. */
  async #admits(file: BatchFile): Promise<boolean> {
    if (file.index >= this.#maxFiles) {
      const reason = `a batch may have ${this.#maxFiles} files at most`;
      await this.#reject(file, rejection('TOO_MANY_FILES', reason));
      return false;
    }
    if (!(await this.#session.takesFiles())) {
      await this.#reject(file, rejection('UPLOAD_SESSION_ENDED', 'the upload session takes no more files'));
      return false;
    }
    await this.#session.recordUploading(file);
    return true;
  }

  async #reject({ began, ...file }: BatchFile, why: Rejection): Promise<void> {
    const outcome = { ...file, elapsedMs: performance.now() - began, kind: 'rejected', ...why } as const;
    this.#outcomes.push(outcome);
    await this.#session.recordRejected(outcome);
  }

  async #end(by: 'client' | 'connection'): Promise<void> {
    // Attributes that files were accepted under are final: the folder they name may be gone by now.
    if (!this.#attributes) await this.#begin(await this.#request.attributes());
    await this.#acceptPending();
    await this.#session.seal(by);
  }

  async #acceptPending(): Promise<void> {
    const attributes = this.#attributes;
    if (!attributes) return;
    // Removed first: if accepting fails, the row may or may not exist, so the object must not be discarded.
    for (let next = this.#pending.shift(); next; next = this.#pending.shift()) {
      await this.#accept(next.file, { ...next.stored, ...attributes });
    }
  }

  async #accept(file: BatchFile, incoming: StoredPart & UploadAttributes): Promise<void> {
    const { em, objects } = this.#deps;
    const session = { sessionId: this.#session.id, index: file.index };
    let outcome: IngestOutcome;
    try {
      outcome = await acceptUpload({ em: em.fork(), objects }, this.#principal, { ...incoming, session });
    } catch (error) {
      return this.#reject(file, rejectionOf(error));
    }
    // Both kinds were recorded in the session by the transaction that stored or skipped the file.
    if ('created' in outcome) {
      this.#session.announce(outcome.created);
      this.#report(file, 'accepted', outcome.created);
    } else {
      this.#report(file, 'skipped', outcome.duplicateOf);
    }
  }

  #report({ index, filename, began }: BatchFile, kind: 'accepted' | 'skipped', file: StoredFile): void {
    const { id: fileId, objectKey, mediaType } = file;
    const elapsedMs = performance.now() - began;
    this.#outcomes.push({ index, filename, elapsedMs, kind, fileId, objectKey, mediaType, file });
  }

  /** Removes pending files, and cancels accepted ones. */
  async #undo(): Promise<void> {
    const { em, objects } = this.#deps;
    for (const { stored } of this.#pending) {
      await discardObject({ em: em.fork(), objects }, stored.objectKey);
    }
    this.#pending = [];
    await this.#session.cancel();
  }
}
