import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import type { Engine } from '../../../temporal/client.ts';
import { cancelUploadSession } from '../../upload-sessions/cancel-upload-session.ts';
import { closeUploadSession, sealUploadSession } from '../../upload-sessions/seal-upload-session.ts';
import { findUploadSession } from '../../upload-sessions/find-upload-session.ts';
import { recordItemWhileOpen } from '../../upload-sessions/record-item.ts';
import { openUploadSession, startUploadSession } from '../../upload-sessions/open-upload-session.ts';
import type { Principal } from '../../accounts/principal.ts';
import { reconcileUploadSessionIfReachable } from '../../upload-sessions/reconcile-upload-session.ts';
import type { Rejection } from './file-outcome.ts';
import { FILES_A_MESSAGE } from '../../../temporal/contract/batch-session.ts';
import { signalFilesStored } from '../../../temporal/starters/batch-session.ts';
import { toSessionFile } from '../../processing/start-file-work.ts';

export interface BatchUploadSessionDeps {
  em: EntityManager;
  engine: Engine;
  /** Reports errors that do not affect the response. */
  onTrouble: (error: unknown, what: string) => void;
}

interface BatchItem {
  index: number;
  filename: string;
}

/** The upload session of one batch request: opened with its first file, notified of each, sealed at its end. */
export class BatchUploadSession {
  readonly id = randomUUID();
  readonly #deps: BatchUploadSessionDeps;
  readonly #principal: Principal;
  #session: UploadSession | undefined;
  #announcer: Announcer | undefined;

  constructor(deps: BatchUploadSessionDeps, principal: Principal) {
    this.#deps = deps;
    this.#principal = principal;
  }

  /** Safe to repeat. */
  async open(): Promise<void> {
    if (this.#session) return;
    const { em, engine, onTrouble } = this.#deps;
    const given = { sessionId: this.id, uploadMethod: 'streaming' } as const;
    this.#session = await openUploadSession(em.fork(), this.#principal, given);
    this.#announcer = announceFiles({ em, engine }, this.#session, (error) =>
      onTrouble(error, 'files were not announced'),
    );
    await startUploadSession({ em: em.fork(), engine }, this.#session);
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

  /** Notifies its workflow of a new file; never blocks. */
  announce(file: StoredFile): void {
    this.#announcer?.add(file);
  }

  /** Seals it when the client is done or disconnected, and closes it when none of its files has work in progress. */
  async seal(by: 'client' | 'connection'): Promise<void> {
    const { em } = this.#deps;
    await sealUploadSession(em.fork(), this.#target, by);
    await this.#announcer?.settled();
    // With only duplicates and rejections everything is done, and no worker is needed to close it.
    await closeUploadSession(em.fork(), this.#target);
    await this.#reconcile();
  }

  /** Cancels the accepted files, if it was opened. */
  async cancel(): Promise<void> {
    if (!this.#session) return;
    const { em } = this.#deps;
    await this.#announcer?.settled();
    await cancelUploadSession(em.fork(), this.#target);
    await this.#reconcile();
  }

  get #target() {
    return { sessionId: this.id, tenantId: this.#principal.tenantId };
  }

  /** While the engine is unreachable, the change stays due in the row. */
  async #reconcile(): Promise<void> {
    const { em, engine } = this.#deps;
    const own = em.fork();
    const session = await findUploadSession(own, this.#target);
    await reconcileUploadSessionIfReachable({ em: own, engine }, session);
  }
}

interface Announcer {
  /** Queues a file; never blocks. */
  add(file: StoredFile): void;
  /** Resolves when all queued files have been sent or given up. */
  settled(): Promise<void>;
}

/**
 * Signals new files to the workflow of their upload session during the upload: files that arrive while one signal is in
 * flight are batched into the next, so that a fast upload costs few events. Lost ones stay due in their rows.
 */
function announceFiles(
  { em, engine }: { em: EntityManager; engine: Engine },
  session: UploadSession,
  onLost: (error: unknown) => void,
): Announcer {
  let queued: StoredFile[] = [];
  let sending: Promise<void> | undefined;

  async function sendAll(): Promise<void> {
    while (queued.length > 0) {
      const batch = queued.slice(0, FILES_A_MESSAGE);
      queued = queued.slice(FILES_A_MESSAGE);
      await send(batch).catch(onLost);
    }
    sending = undefined;
  }

  async function send(files: StoredFile[]): Promise<void> {
    if (
      (await signalFilesStored(
        engine,
        session,
        files.map((file) => toSessionFile(engine, file)),
      )) !== 'sent'
    )
      return;
    const ids = files.map(({ id }) => id);
    await em
      .fork()
      .nativeUpdate(StoredFile, { id: { $in: ids }, generation: 1, deletedAt: null }, { engineDueAt: null });
  }

  return {
    add(file) {
      queued.push(file);
      sending ??= sendAll();
    },
    settled: () => sending ?? Promise.resolve(),
  };
}
