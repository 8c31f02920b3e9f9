import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import type { Engine } from '../../../temporal/client.ts';
import { cancelUploadSession } from '../../upload-sessions/cancel-upload-session.ts';
import { closeUploadSession, sealUploadSession } from '../../upload-sessions/seal-upload-session.ts';
import { findUploadSession } from '../../upload-sessions/find-upload-session.ts';
import { recordItemWhileOpen } from '../../upload-sessions/record-item.ts';
import { openUploadSession, startUploadSession } from '../../upload-sessions/open-upload-session.ts';
import type { Principal } from '../../accounts/principal.ts';
import { announceUploadSession } from '../../upload-sessions/reconcile-upload-session.ts';
import type { RequestWebhook } from '../../webhooks/request-webhook.ts';
import type { Rejection } from './file-outcome.ts';
import { FILES_A_MESSAGE } from '../../../temporal/contract/upload-session.ts';
import { signalFilesStored } from '../../../temporal/upload-session-signals.ts';
import { toUploadSessionFile } from '../../processing/start-file-work.ts';

export interface BatchUploadSessionDeps {
  em: EntityManager;
  engine: Engine;
  /** Reports errors that do not affect the response. */
  onError: (error: unknown, what: string) => void;
}

interface BatchItem {
  index: number;
  filename: string;
}

/** The upload session of one batch request: opened with its first file, notified of each, sealed at its end. */
export class BatchUploadSession {
  readonly id: string;
  readonly #deps: BatchUploadSessionDeps;
  readonly #principal: Principal;
  #session: UploadSession | undefined;
  #unsignalled: StoredFile[] = [];
  #signalling: Promise<void> | undefined;

  /** @param id of the session; an existing session is continued */
  constructor(deps: BatchUploadSessionDeps, principal: Principal, id: string = randomUUID()) {
    this.id = id;
    this.#deps = deps;
    this.#principal = principal;
  }

  /**
   * Safe to repeat.
   *
   * @param webhook receives the events of the session
   */
  async open(webhook: RequestWebhook | undefined): Promise<void> {
    if (this.#session) return;
    const { em, engine } = this.#deps;
    const given = { sessionId: this.id, uploadMethod: 'streaming', webhook } as const;
    const { tenantId } = this.#principal;
    this.#session =
      (await em.fork().findOne(UploadSession, { id: this.id, tenantId })) ??
      (await openUploadSession(em.fork(), this.#principal, given));
    await startUploadSession(engine, this.#session);
  }

  /** Whether it accepts files: another request may have sealed it. */
  async takesFiles(): Promise<boolean> {
    if (!this.#session) return true;
    return (await this.#deps.em.fork().count(UploadSession, { id: this.id, sealedBy: null })) > 0;
  }

  /** Records that a file is arriving; nothing before the session is open. */
  async recordUploading({ index, filename }: BatchItem): Promise<void> {
    if (!this.#session) return;
    const key = { sessionId: this.id, index };
    await recordItemWhileOpen(this.#deps.em.fork(), key, filename, { state: 'uploading' });
  }

  /** Records a rejection; nothing before the session is open. */
  async recordRejected(file: BatchItem & Partial<Rejection>): Promise<void> {
    if (!this.#session) return;
    const { index, filename, code = '', reason = '', retryable = false } = file;
    const key = { sessionId: this.id, index };
    const outcome = { state: 'rejected', retryable, error: { code, message: reason } } as const;
    await recordItemWhileOpen(this.#deps.em.fork(), key, filename, outcome);
  }

  /**
   * Signals a new file to its workflow; never blocks. Files that arrive while one signal is in flight are batched into the
   * next, so that a fast upload costs few events. Each file stays due in its row until its run begins.
   */
  announce(file: StoredFile): void {
    this.#unsignalled.push(file);
    this.#signalling ??= this.#signalAll();
  }

  /**
   * Seals the session when the client is done or disconnected, and closes it if none of its files has work in
   * progress.
   */
  async seal(by: 'client' | 'connection'): Promise<void> {
    const { em } = this.#deps;
    await sealUploadSession(em.fork(), this.#target, by);
    await this.#signalling;
    // If all files are duplicates or rejected, the session can be closed without a worker.
    await closeUploadSession(em.fork(), this.#target);
    await this.#reconcile();
  }

  /** Cancels the accepted files, if it was opened. */
  async cancel(): Promise<void> {
    if (!this.#session) return;
    const { em } = this.#deps;
    await this.#signalling;
    await cancelUploadSession(em.fork(), this.#target);
    await this.#reconcile();
  }

  async #signalAll(): Promise<void> {
    while (this.#unsignalled.length > 0) {
      await this.#signal(this.#unsignalled.splice(0, FILES_A_MESSAGE)).catch((error: unknown) =>
        this.#deps.onError(error, 'files were not announced'),
      );
    }
    this.#signalling = undefined;
  }

  async #signal(files: StoredFile[]): Promise<void> {
    const { engine } = this.#deps;
    const inputs = files.map((file) => toUploadSessionFile(engine, file));
    if (this.#session) await signalFilesStored(engine, this.#session, inputs);
  }

  get #target() {
    return { sessionId: this.id, tenantId: this.#principal.tenantId };
  }

  /** While the engine is unreachable, the change stays due in the row. */
  async #reconcile(): Promise<void> {
    const { em, engine } = this.#deps;
    const own = em.fork();
    const session = await findUploadSession(own, this.#target);
    await announceUploadSession({ em: own, engine }, session);
  }
}
