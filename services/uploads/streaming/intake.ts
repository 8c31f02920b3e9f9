import { randomBytes, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AppError } from '../../../domain/app-error.ts';
import { cleanFilename } from '../../../domain/filename.ts';
import { originalKey, type ObjectPlace } from '../../../domain/object-keys.ts';
import type { Principal } from '../../accounts/principal.ts';
import { discardObject } from '../claimed-objects.ts';
import type { IngestOutcome, UploadAttributes } from '../ingest-file.ts';
import { acceptUpload } from './accept-upload.ts';
import { storePart, type StorePartDeps } from './store-part.ts';
import type { StoredUpload } from './upload-sink.ts';

/** One file part of a request; `began` is its start, from `performance.now()`. */
export interface FilePart {
  index: number;
  filename: string;
  /** As declared by the client. */
  contentType?: string | undefined;
  began: number;
}

/** The purpose of a request: one file, or a batch with its own upload session. */
export interface IntakeTarget {
  /**
   * With a session, each file is accepted as it arrives, and kept if the request breaks off. Without one, the request
   * is all or nothing: its file is accepted once the whole body has been read.
   */
  readonly session?: IntakeSession;
  /** Whether to read the bytes of this part; records why not. */
  admits?(part: FilePart): Promise<boolean>;
  /** Called when the file has its row, or is a duplicate. */
  accepted(part: FilePart, outcome: IngestOutcome, stored: StoredUpload): Promise<void> | void;
  /** Records why a file was rejected. @throws the error, when it ends the request */
  refused(part: FilePart, error: unknown): Promise<void>;
}

export interface IntakeSession {
  readonly id: string;
  /** Called before the first file is accepted. Safe to repeat. */
  open(): Promise<void>;
  /** Called when the client is done or disconnected. */
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

/** A file part as it arrives. */
export interface IncomingPart {
  index: number;
  filename: string | undefined;
  contentType?: string | undefined;
  stream: Readable;
}

/** Errors of a broken connection, after which a session keeps the files received so far. */
const BROKEN_OFF = new Set(['CLIENT_GONE', 'BAD_REQUEST']);

/**
 * Receives the files of one request, one at a time. A single upload is a batch of one part without an upload session.
 *
 * Text fields before the first file (`begin`) are validated before any byte is stored. With a session they are final,
 * and files are accepted as they arrive. Otherwise fields may follow, and files are accepted at the end of the request.
 */
export class Intake {
  readonly #deps: StorePartDeps;
  readonly #principal: Principal;
  readonly #target: IntakeTarget;
  readonly #place: () => ObjectPlace;
  readonly #readAttributes: () => Promise<UploadAttributes>;
  #attributes: UploadAttributes | undefined;
  #pending: Received[] = [];
  #parts = 0;

  /**
   * @param place where to store the next file
   * @param readAttributes from the text fields received so far; rejects with an AppError when they are invalid
   */
  constructor(
    deps: StorePartDeps,
    principal: Principal,
    target: IntakeTarget,
    place: () => ObjectPlace,
    readAttributes: () => Promise<UploadAttributes>,
  ) {
    this.#deps = deps;
    this.#principal = principal;
    this.#target = target;
    this.#place = place;
    this.#readAttributes = readAttributes;
  }

  /** Whether a session processes files under these attributes already, so that no text field may follow. */
  get settled(): boolean {
    return this.#attributes !== undefined;
  }

  /** Validates the text fields that precede the first file; a session is opened with them. */
  async begin(): Promise<void> {
    const attributes = await this.#readAttributes();
    if (this.#target.session) await this.#settle(attributes);
  }

  /**
   * Receives one file completely.
   *
   * @throws errors that end the request: CLIENT_GONE, a database outage
   */
  async take({ stream, ...given }: IncomingPart) {
    const part = { ...given, filename: cleanFilename(given.filename), began: performance.now() };
    if (this.#target.admits && !(await this.#target.admits(part))) {
      stream.resume();
    } else {
      await this.#store(part, stream);
      if (this.#target.session) await this.#acceptPending();
    }
    this.#parts += 1;
  }

  /** The request is complete: accepts the pending files, and seals the session. */
  async finish(): Promise<void> {
    await this.#end('client');
  }

  /** The request failed. After a broken connection a session keeps the files received; everything else is undone. */
  async breakOff(error: unknown): Promise<void> {
    const keep = this.#target.session && (!(error instanceof AppError) || BROKEN_OFF.has(error.code));
    if (!keep) return this.#undo();
    try {
      if (this.settled || this.#parts > 0) await this.#end('connection');
    } catch (failure) {
      await this.#undo();
      throw failure;
    }
  }

  async #store(part: FilePart, stream: Readable): Promise<void> {
    const fileId = randomUUID();
    const objectKey = originalKey(this.#place(), fileId, randomBytes(6).toString('hex'));
    try {
      const { filename, contentType } = part;
      const stored = await storePart(this.#deps, stream, objectKey, { filename, contentType });
      this.#pending.push({ part, fileId, objectKey, stored });
    } catch (error) {
      await this.#target.refused(part, error);
    }
  }

  async #settle(attributes: UploadAttributes): Promise<void> {
    if (this.#attributes) return;
    await this.#target.session?.open();
    this.#attributes = attributes;
  }

  async #end(by: 'client' | 'connection'): Promise<void> {
    // Attributes that files were accepted under are final: the folder they name may be gone by now.
    if (!this.settled) await this.#settle(await this.#readAttributes());
    await this.#acceptPending();
    await this.#target.session?.seal(by);
  }

  async #acceptPending(): Promise<void> {
    const attributes = this.#attributes;
    if (!attributes) return;
    // Removed first: if accepting fails, the row may or may not exist, so the object must not be discarded.
    for (let next = this.#pending.shift(); next; next = this.#pending.shift()) {
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

  /** Removes pending files, and cancels accepted ones. */
  async #undo(): Promise<void> {
    const { em, objects } = this.#deps;
    for (const { objectKey } of this.#pending) await discardObject({ em: em.fork(), objects }, objectKey);
    this.#pending = [];
    await this.#target.session?.cancel();
  }
}
