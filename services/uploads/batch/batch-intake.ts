import { randomBytes, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { cleanFilename } from '../../../domain/filename.ts';
import { originalKey } from '../../../domain/object-keys.ts';
import { acceptUpload } from '../streaming/accept-upload.ts';
import { BatchOutcomes, type BatchPart, type FileOutcome } from './batch-outcomes.ts';
import { discardObject } from '../claimed-objects.ts';
import type { IncomingFile } from '../ingest-file.ts';
import { RequestSession, type RequestSessionDeps } from './request-session.ts';
import type { Principal } from '../../accounts/resolve-principal.ts';
import { storePart, type StorePartDeps } from '../streaming/store-part.ts';
import type { StoredUpload } from '../streaming/upload-sink.ts';

export type BatchIntakeDeps = RequestSessionDeps & StorePartDeps;

/** What every file of the batch gets. */
export type BatchOptions = Pick<IncomingFile, 'tags' | 'contentCategory' | 'options'>;

export interface BatchFile {
  index: number;
  filename: string | undefined;
  stream: Readable;
}

interface Received {
  part: BatchPart;
  fileId: string;
  key: string;
  stored: StoredUpload;
}

/**
 * Takes the files of one batch request, one at a time, into a session of its own. A bad file is a rejection with its
 * reason and not the end of the request.
 *
 * With the text fields before the first file, each file is accepted and its work begins as soon as it has come. Otherwise
 * the fields may still follow, so the files are stored and wait for the end of the request.
 */
export class BatchIntake {
  readonly #deps: BatchIntakeDeps;
  readonly #principal: Principal;
  readonly #maxFiles: number;
  readonly #readOptions: () => BatchOptions;
  readonly #session: RequestSession;
  readonly #outcomes: BatchOutcomes;
  #options: BatchOptions | undefined;
  #waiting: Received[] = [];

  /**
   * @param maxFiles    those beyond it are rejected
   * @param readOptions the options by the text fields that have come; throws a AppError when they are wrong
   */
  constructor(
    deps: BatchIntakeDeps,
    principal: Principal,
    maxFiles: number,
    readOptions: () => BatchOptions,
  ) {
    this.#deps = deps;
    this.#principal = principal;
    this.#maxFiles = maxFiles;
    this.#readOptions = readOptions;
    this.#session = new RequestSession(deps, principal);
    this.#outcomes = new BatchOutcomes(deps.em, this.#session.id);
  }

  get sessionId(): string {
    return this.#session.id;
  }

  /** What became of the files so far, in the order of the request. */
  get outcomes(): FileOutcome[] {
    return this.#outcomes.inOrder();
  }

  /** Whether the options are settled, so that no field may follow. */
  get begun(): boolean {
    return this.#options !== undefined;
  }

  /** Settles the options and opens the session: from now on each file is accepted as it comes. */
  async begin(): Promise<void> {
    if (this.#options) return;
    this.#options = this.#readOptions();
    await this.#session.open();
    await this.#outcomes.begin();
  }

  /**
   * Takes one file, to its end.
   *
   * @throws what ends the request: CLIENT_GONE, a database that is out of reach
   */
  async take({ index, filename, stream }: BatchFile): Promise<void> {
    const part: BatchPart = { index, filename: cleanFilename(filename), began: performance.now() };
    const limit = this.#maxFiles;
    if (index >= limit) {
      stream.resume();
      return this.#outcomes.rejected(part, 'TOO_MANY_FILES', `a batch may have ${limit} files at most`);
    }
    if (this.begun && !(await this.#session.takesFiles())) {
      stream.resume();
      return this.#outcomes.rejected(part, 'SESSION_ENDED', 'the session takes no more files');
    }
    await this.#outcomes.uploading(part);
    const fileId = randomUUID();
    const key = originalKey(this.#principal.tenantId, fileId, randomBytes(6).toString('hex'));
    let stored: StoredUpload;
    try {
      stored = await storePart(this.#deps, stream, key);
    } catch (error) {
      return this.#outcomes.rejectedFor(error, part);
    }
    const received = { part, fileId, key, stored };
    if (this.#options) await this.#accept(received, this.#options);
    else this.#waiting.push(received);
  }

  /** Accepts what still waits and seals the session; the client, or its broken connection, sends no more. */
  async finish(by: 'client' | 'connection'): Promise<void> {
    if (this.#waiting.length > 0 || this.#outcomes.count > 0) await this.begin();
    if (!this.#options || !this.#session.opened) return;
    while (this.#waiting[0]) {
      await this.#accept(this.#waiting[0], this.#options);
      this.#waiting.shift();
    }
    await this.#session.seal(by);
  }

  /** Undoes the request: what waits is removed, what was accepted is cancelled. */
  async abandon(): Promise<void> {
    const { em, objects } = this.#deps;
    for (const { key } of this.#waiting) await discardObject({ em: em.fork(), objects }, key);
    this.#waiting = [];
    if (this.#session.opened) await this.#session.cancel();
  }

  async #accept({ part, fileId, key, stored }: Received, options: BatchOptions): Promise<void> {
    const { em, objects } = this.#deps;
    const { mediaType } = stored;
    let outcome: { created: StoredFile } | { duplicateOf: StoredFile };
    try {
      outcome = await acceptUpload({ em: em.fork(), objects }, this.#principal, {
        ...stored,
        ...options,
        fileId,
        objectKey: key,
        filename: part.filename,
        title: null,
        session: { sessionId: this.sessionId, index: part.index },
      });
    } catch (error) {
      return this.#outcomes.rejectedFor(error, part);
    }
    if ('created' in outcome) {
      this.#session.announce(outcome.created);
      this.#outcomes.stored(part, 'accepted', { fileId, objectKey: key, mediaType });
    } else {
      const { id, objectKey } = outcome.duplicateOf;
      this.#outcomes.stored(part, 'skipped', { fileId: id, objectKey, mediaType });
    }
  }
}
