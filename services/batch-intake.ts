import type { EntityManager } from '@mikro-orm/postgresql';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { StoredFile } from '../db/entities/stored-file.ts';
import { UploadSession } from '../db/entities/upload-session.ts';
import { cleanFilename } from '../domain/filename.ts';
import { MAX_STREAMED_BYTES } from '../domain/limits.ts';
import type { MediaType } from '../domain/media.ts';
import { originalKey } from '../domain/object-keys.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Engine } from '../temporal/client.ts';
import { acceptUpload } from './accept-upload.ts';
import { announceFiles } from './announce-files.ts';
import type { Announcer } from './announce-files.ts';
import { cancelSession } from './cancel-session.ts';
import { claimObject, discardObject, releaseClaim } from './claimed-objects.ts';
import type { IncomingFile } from './ingest-file.ts';
import { openSession } from './open-session.ts';
import { outage } from './outage.ts';
import type { PartBuffers } from './part-buffers.ts';
import type { Principal } from './resolve-principal.ts';
import { sealSession } from './seal-session.ts';
import { noteItem } from './session-items.ts';
import { startSessionWork } from './start-session-work.ts';
import { tellSessionChanged } from './tell-session.ts';
import { createUploadSink } from './upload-sink.ts';
import type { StoredUpload } from './upload-sink.ts';

export interface BatchIntakeDeps {
  em: EntityManager;
  engine: Engine;
  objects: ObjectStore;
  buffers: PartBuffers;
  detect: (head: Uint8Array) => Promise<string | undefined>;
  /** Told of what went wrong beside the answer. */
  onTrouble: (error: unknown, what: string) => void;
}

/** What every file of the batch gets. */
export type BatchOptions = Pick<IncomingFile, 'tags' | 'contentCategory' | 'options'>;

export interface BatchFile {
  index: number;
  filename: string | undefined;
  stream: Readable;
}

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

/** Refusals that sending the file again later may overcome. */
const RETRYABLE = new Set(['QUOTA_EXHAUSTED', 'SERVICE_UNAVAILABLE']);
const FAULTS_OF_A_FILE = new Set([
  'EMPTY_FILE',
  'UNSUPPORTED_MEDIA',
  'FILE_TOO_LARGE',
  'QUOTA_EXHAUSTED',
  'SESSION_ENDED',
]);

interface Received {
  index: number;
  filename: string;
  began: number;
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
  readonly sessionId = randomUUID();
  readonly outcomes: FileOutcome[] = [];
  readonly #deps: BatchIntakeDeps;
  readonly #principal: Principal;
  readonly #maxFiles: number;
  readonly #readOptions: () => BatchOptions;
  #options: BatchOptions | undefined;
  #session: UploadSession | undefined;
  #announcer: Announcer | undefined;
  #started = false;
  #waiting: Received[] = [];

  /**
   * @param maxFiles    those beyond it are rejected
   * @param readOptions the options by the text fields that have come; throws a Refusal when they are wrong
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
  }

  /** Whether the options are settled, so that no field may follow. */
  get begun(): boolean {
    return this.#options !== undefined;
  }

  /** Settles the options and opens the session: from now on each file is accepted as it comes. */
  async begin(): Promise<void> {
    if (this.#options) return;
    this.#options = this.#readOptions();
    const { em, engine, onTrouble } = this.#deps;
    const { sessionId } = this;
    this.#session = await openSession(em.fork(), this.#principal, { sessionId, uploadMethod: 'streaming' });
    this.#announcer = announceFiles(engine, sessionId, (error) =>
      onTrouble(error, 'files were not announced'),
    );
    await this.#start();
    for (const { index, filename, code = '', reason = '', retryable = false } of this.outcomes) {
      await this.#note(index, filename, 'rejected', { code, message: reason }, retryable);
    }
  }

  /**
   * Takes one file, to its end.
   *
   * @throws what ends the request: CLIENT_GONE, a database that is out of reach
   */
  async take({ index, filename: given, stream }: BatchFile): Promise<void> {
    const began = performance.now();
    const filename = cleanFilename(given);
    const limit = this.#maxFiles;
    if (index >= limit) {
      stream.resume();
      return this.#reject(
        { index, filename, began },
        'TOO_MANY_FILES',
        `a batch may have ${limit} files at most`,
      );
    }
    if (this.begun && !(await this.#takesFiles())) {
      stream.resume();
      return this.#reject({ index, filename, began }, 'SESSION_ENDED', 'the session takes no more files');
    }
    if (this.begun) await this.#note(index, filename, 'uploading');
    const fileId = randomUUID();
    const key = originalKey(this.#principal.tenantId, fileId, randomBytes(6).toString('hex'));
    let stored: StoredUpload;
    try {
      await claimObject(this.#deps.em.fork(), key);
      stored = await this.#store(stream, key);
    } catch (error) {
      return this.#rejectFor(error, { index, filename, began });
    }
    const received = { index, filename, began, fileId, key, stored };
    if (this.begun) await this.#accept(received);
    else this.#waiting.push(received);
  }

  /** Accepts what still waits and seals the session; the client, or its broken connection, sends no more. */
  async finish(by: 'client' | 'connection'): Promise<void> {
    if (this.#waiting.length > 0 || this.outcomes.length > 0) await this.begin();
    if (!this.#session) return;
    while (this.#waiting[0]) {
      await this.#accept(this.#waiting[0]);
      this.#waiting.shift();
    }
    const { em, engine } = this.#deps;
    const target = { sessionId: this.sessionId, tenantId: this.#principal.tenantId };
    this.#session = await sealSession(em.fork(), target, by);
    await this.#announcer?.settled();
    if (!this.#started) await this.#start();
    await tellSessionChanged({ em: em.fork(), engine }, this.#session);
    this.outcomes.sort((a, b) => a.index - b.index);
  }

  /** Undoes the request: what waits is removed, what was accepted is cancelled. */
  async abandon(): Promise<void> {
    const { em, engine, objects } = this.#deps;
    for (const { key } of this.#waiting) await discardObject({ em: em.fork(), objects }, key);
    this.#waiting = [];
    if (!this.#session) return;
    const target = { sessionId: this.sessionId, tenantId: this.#principal.tenantId };
    await this.#announcer?.settled();
    await tellSessionChanged({ em: em.fork(), engine }, await cancelSession(em.fork(), target));
  }

  async #takesFiles(): Promise<boolean> {
    return (await this.#deps.em.fork().count(UploadSession, { id: this.sessionId, sealedBy: null })) > 0;
  }

  async #start(): Promise<void> {
    const { em, engine } = this.#deps;
    if (this.#session) this.#started = await startSessionWork({ em: em.fork(), engine }, this.#session);
  }

  async #store(stream: Readable, key: string): Promise<StoredUpload> {
    const { em, objects, buffers, detect, onTrouble } = this.#deps;
    let leftover = false;
    const onLeftover = (error: unknown) => {
      leftover = true;
      onTrouble(error, `a refused upload could not be removed yet: ${key}`);
    };
    const sink = createUploadSink({
      objects,
      buffers,
      detect,
      key,
      maxBytes: MAX_STREAMED_BYTES,
      onLeftover,
    });
    stream.once('error', (error) => sink.writable.destroy(error));
    if (stream.destroyed) sink.writable.destroy(stream.errored ?? undefined);
    stream.pipe(sink.writable);
    try {
      return await sink.result;
    } catch (error) {
      // The rest of a refused file is read and thrown away: the next one stands behind it.
      stream.unpipe();
      stream.resume();
      if (!leftover) await releaseClaim(em.fork(), key).catch(() => undefined);
      throw error;
    }
  }

  async #accept(received: Received): Promise<void> {
    const { index, filename, began, fileId, key, stored } = received;
    const { em, objects } = this.#deps;
    const { mediaType } = stored;
    let outcome: { created: StoredFile } | { duplicateOf: StoredFile };
    try {
      outcome = await acceptUpload({ em: em.fork(), objects }, this.#principal, {
        ...stored,
        ...(this.#options ?? this.#readOptions()),
        fileId,
        objectKey: key,
        filename,
        title: null,
        session: { sessionId: this.sessionId, index },
      });
    } catch (error) {
      return this.#rejectFor(error, received);
    }
    const elapsedMs = performance.now() - began;
    if ('created' in outcome) {
      this.#announcer?.add(outcome.created);
      const accepted = { fileId, objectKey: key, mediaType };
      this.outcomes.push({ index, filename, elapsedMs, kind: 'accepted', ...accepted });
    } else {
      const { id, objectKey } = outcome.duplicateOf;
      const skipped = { fileId: id, objectKey, mediaType };
      this.outcomes.push({ index, filename, elapsedMs, kind: 'skipped', ...skipped });
    }
  }

  /** What is the fault of the file, or of the store for a while, rejects the file; all else ends the request. */
  async #rejectFor(error: unknown, file: Pick<Received, 'index' | 'filename' | 'began'>): Promise<void> {
    if (error instanceof Refusal && FAULTS_OF_A_FILE.has(error.code)) {
      return this.#reject(file, error.code, error.message);
    }
    if (outage(error) !== 'object store') throw error;
    return this.#reject(file, 'SERVICE_UNAVAILABLE', 'the object store cannot be reached; try again');
  }

  async #reject(
    { index, filename, began }: Pick<Received, 'index' | 'filename' | 'began'>,
    code: string,
    reason: string,
  ): Promise<void> {
    const retryable = RETRYABLE.has(code);
    // An ended session does not change any more: what comes too late is told to the client alone.
    const ended = code === 'SESSION_ENDED';
    const elapsedMs = performance.now() - began;
    this.outcomes.push({ index, filename, elapsedMs, kind: 'rejected', code, reason, retryable });
    if (this.begun && !ended) {
      await this.#note(index, filename, 'rejected', { code, message: reason }, retryable);
    }
  }

  async #note(
    index: number,
    filename: string,
    state: 'uploading' | 'rejected',
    error?: { code: string; message: string },
    retryable = false,
  ): Promise<void> {
    const key = { sessionId: this.sessionId, index };
    await noteItem(this.#deps.em.fork(), key, filename, { state, retryable, ...(error && { error }) });
  }
}
