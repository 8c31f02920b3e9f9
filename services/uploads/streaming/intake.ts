import { randomBytes, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AppError } from '../../../domain/app-error.ts';
import { cleanFilename } from '../../../domain/filename.ts';
import { originalKey } from '../../../domain/object-keys.ts';
import type { Principal } from '../../accounts/resolve-principal.ts';
import { discardObject } from '../claimed-objects.ts';
import type { IngestOutcome, UploadAttributes } from '../ingest-file.ts';
import { acceptUpload } from './accept-upload.ts';
import { storePart, type StorePartDeps } from './store-part.ts';
import type { StoredUpload } from './upload-sink.ts';

/** One file part of a request; `began` is when it did, by the clock of `performance`. */
export interface FilePart {
  index: number;
  filename: string;
  began: number;
}

/** What a request of files is for: one file, or a batch with an upload session of its own. */
export interface IntakeTarget {
  /**
   * With a session each file is accepted as it comes, and stays when the request breaks off. Without one a request is
   * all or nothing: its file is accepted when the whole body has been read.
   */
  readonly session?: IntakeSession;
  /** Whether to read the bytes of this part; notes why not. */
  admits?(part: FilePart): Promise<boolean>;
  /** The file has its row, or was there before. */
  accepted(part: FilePart, outcome: IngestOutcome, stored: StoredUpload): Promise<void> | void;
  /** Notes why a file was refused. @throws the error, when it ends the request */
  refused(part: FilePart, error: unknown): Promise<void>;
}

export interface IntakeSession {
  readonly id: string;
  /** Called before the first file is accepted. Safe to repeat. */
  open(): Promise<void>;
  /** The client, or its broken connection, sends no more. */
  seal(by: 'client' | 'connection'): Promise<void>;
  /** Cancels what was accepted, if the session was opened. */
  cancel(): Promise<void>;
}

interface Received {
  part: FilePart;
  fileId: string;
  objectKey: string;
  stored: StoredUpload;
}

/** Errors of a connection that broke off, after which a session keeps what had come by then. */
const BROKEN_OFF = new Set(['CLIENT_GONE', 'BAD_REQUEST']);

/**
 * Takes the files of one request, one at a time. A single upload is a batch of one part without an upload session.
 *
 * Attributes that are settled before the first file (`begin`) are known to be right before any byte is stored. Otherwise
 * they may still follow, so files are stored and wait for the end of the request.
 */
export class Intake {
  readonly #deps: StorePartDeps;
  readonly #principal: Principal;
  readonly #target: IntakeTarget;
  readonly #readAttributes: () => UploadAttributes;
  #attributes: UploadAttributes | undefined;
  #waiting: Received[] = [];
  #parts = 0;

  /** @param readAttributes by the text fields that have come; throws an AppError when they are wrong */
  constructor(
    deps: StorePartDeps,
    principal: Principal,
    target: IntakeTarget,
    readAttributes: () => UploadAttributes,
  ) {
    this.#deps = deps;
    this.#principal = principal;
    this.#target = target;
    this.#readAttributes = readAttributes;
  }

  /** Whether the attributes are settled, so that no field may follow. */
  get begun(): boolean {
    return this.#attributes !== undefined;
  }

  /** Settles the attributes and opens the session, where there is one. */
  async begin(): Promise<void> {
    if (this.#attributes) return;
    const attributes = this.#readAttributes();
    await this.#target.session?.open();
    this.#attributes = attributes;
  }

  /**
   * Takes one file, to its end.
   *
   * @throws what ends the request: CLIENT_GONE, a database that is out of reach
   */
  async take({ stream, ...given }: { index: number; filename: string | undefined; stream: Readable }) {
    const part = { index: given.index, filename: cleanFilename(given.filename), began: performance.now() };
    if (this.#target.admits && !(await this.#target.admits(part))) {
      stream.resume();
    } else {
      await this.#store(part, stream);
      if (this.#target.session) await this.#acceptWaiting();
    }
    this.#parts += 1;
  }

  /** The whole request has come: accepts what still waits, and seals the session. */
  async finish(): Promise<void> {
    await this.#end('client');
  }

  /** The request failed. A session keeps what had come before a broken connection; everything else is undone. */
  async breakOff(error: unknown): Promise<void> {
    const keep = this.#target.session && (!(error instanceof AppError) || BROKEN_OFF.has(error.code));
    if (!keep) return this.#undo();
    try {
      if (this.begun || this.#parts > 0) await this.#end('connection');
    } catch (failure) {
      await this.#undo();
      throw failure;
    }
  }

  async #store(part: FilePart, stream: Readable): Promise<void> {
    const fileId = randomUUID();
    const objectKey = originalKey(this.#principal.tenantId, fileId, randomBytes(6).toString('hex'));
    try {
      const stored = await storePart(this.#deps, stream, objectKey);
      this.#waiting.push({ part, fileId, objectKey, stored });
    } catch (error) {
      await this.#target.refused(part, error);
    }
  }

  async #end(by: 'client' | 'connection'): Promise<void> {
    await this.begin();
    await this.#acceptWaiting();
    await this.#target.session?.seal(by);
  }

  async #acceptWaiting(): Promise<void> {
    const attributes = this.#attributes;
    if (!attributes) return;
    // Taken off first: of one that failed it may be unknown whether it has a row, so its object must not be discarded.
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      await this.#accept(next, attributes);
    }
  }

  async #accept({ part, stored, ...keys }: Received, attributes: UploadAttributes): Promise<void> {
    const { em, objects } = this.#deps;
    const { session } = this.#target;
    let outcome: IngestOutcome;
    try {
      outcome = await acceptUpload({ em: em.fork(), objects }, this.#principal, {
        ...keys,
        ...stored,
        ...attributes,
        filename: part.filename,
        ...(session && { session: { sessionId: session.id, index: part.index } }),
      });
    } catch (error) {
      return this.#target.refused(part, error);
    }
    await this.#target.accepted(part, outcome, stored);
  }

  /** What waits is removed, what was accepted is cancelled. */
  async #undo(): Promise<void> {
    const { em, objects } = this.#deps;
    for (const { objectKey } of this.#waiting) await discardObject({ em: em.fork(), objects }, objectKey);
    this.#waiting = [];
    await this.#target.session?.cancel();
  }
}
