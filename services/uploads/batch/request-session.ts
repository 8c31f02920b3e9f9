import type { EntityManager } from '@mikro-orm/postgresql';
import { randomUUID } from 'node:crypto';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { UploadSession } from '../../../db/entities/upload-sessions/upload-session.ts';
import type { Engine } from '../../../temporal/client.ts';
import { announceFiles, type Announcer } from '../../upload-sessions/announce-files.ts';
import { cancelUploadSession } from '../../upload-sessions/cancel-upload-session.ts';
import { closeUploadSession } from '../../upload-sessions/close-upload-session.ts';
import { findUploadSession } from '../../upload-sessions/find-upload-session.ts';
import { openUploadSession } from '../../upload-sessions/open-upload-session.ts';
import type { Principal } from '../../accounts/resolve-principal.ts';
import { sealUploadSession } from '../../upload-sessions/seal-upload-session.ts';
import { startUploadSession } from '../../upload-sessions/start-upload-session.ts';
import { reconcileUploadSessionIfReachable } from '../../upload-sessions/reconcile-upload-session.ts';

export interface RequestSessionDeps {
  em: EntityManager;
  engine: Engine;
  /** Told of what went wrong beside the answer. */
  onTrouble: (error: unknown, what: string) => void;
}

/** The upload session of one batch request: opened with its first file, told of each, sealed at its end. */
export class RequestSession {
  readonly id = randomUUID();
  readonly #deps: RequestSessionDeps;
  readonly #principal: Principal;
  #session: UploadSession | undefined;
  #announcer: Announcer | undefined;

  constructor(deps: RequestSessionDeps, principal: Principal) {
    this.#deps = deps;
    this.#principal = principal;
  }

  get opened(): boolean {
    return this.#session !== undefined;
  }

  async open(): Promise<void> {
    if (this.#session) return;
    const { em, engine, onTrouble } = this.#deps;
    const given = { sessionId: this.id, uploadMethod: 'streaming' } as const;
    this.#session = await openUploadSession(em.fork(), this.#principal, given);
    this.#announcer = announceFiles({ em, engine }, this.id, (error) =>
      onTrouble(error, 'files were not announced'),
    );
    await startUploadSession({ em: em.fork(), engine }, this.#session);
  }

  /** Whether it has not been sealed behind the back of the request. */
  async takesFiles(): Promise<boolean> {
    return (await this.#deps.em.fork().count(UploadSession, { id: this.id, sealedBy: null })) > 0;
  }

  /** Tells its workflow of a new file; never waits. */
  announce(file: StoredFile): void {
    this.#announcer?.add(file);
  }

  /** The client, or its broken connection, sends no more. Closes the session when none of its files has work to wait for. */
  async seal(by: 'client' | 'connection'): Promise<void> {
    const { em } = this.#deps;
    await sealUploadSession(em.fork(), this.#target, by);
    await this.#announcer?.settled();
    // With nothing but duplicates and rejections all is done, and needs no worker to say so.
    await closeUploadSession(em.fork(), this.#target);
    await this.#reconcile();
  }

  /** What was accepted is cancelled. */
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

  /** What does not reach the engine now stays due in the row. */
  async #reconcile(): Promise<void> {
    const { em, engine } = this.#deps;
    const own = em.fork();
    const session = await findUploadSession(own, this.#target);
    await reconcileUploadSessionIfReachable({ em: own, engine }, session);
  }
}
