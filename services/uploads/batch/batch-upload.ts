import { BatchOutcomes, type FileOutcome } from './batch-outcomes.ts';
import { RequestSession, type RequestSessionDeps } from './request-session.ts';
import type { Principal } from '../../accounts/principal.ts';
import type { IngestOutcome } from '../ingest-file.ts';
import type { FilePart, IntakeSession, IntakeTarget } from '../streaming/intake.ts';
import type { StoredUpload } from '../streaming/upload-sink.ts';

/**
 * A multi-file request with its own upload session. A bad file is rejected with a reason and does not end the request.
 */
export class BatchUpload implements IntakeTarget {
  readonly session: IntakeSession;
  readonly #session: RequestSession;
  readonly #outcomes: BatchOutcomes;
  readonly #maxFiles: number;

  /** @param maxFiles files beyond this are rejected */
  constructor(deps: RequestSessionDeps, principal: Principal, maxFiles: number) {
    const session = new RequestSession(deps, principal);
    const outcomes = new BatchOutcomes(deps.em, session.id);
    this.#session = session;
    this.#outcomes = outcomes;
    this.#maxFiles = maxFiles;
    this.session = {
      id: session.id,
      async open() {
        await session.open();
        await outcomes.begin();
      },
      seal: (by) => session.seal(by),
      cancel: () => session.cancel(),
    };
  }

  /** Outcomes so far, in the order of the request. */
  get outcomes(): FileOutcome[] {
    return this.#outcomes.inOrder();
  }

  async admits(part: FilePart): Promise<boolean> {
    if (part.index >= this.#maxFiles) {
      const limit = `a batch may have ${this.#maxFiles} files at most`;
      await this.#outcomes.rejected(part, 'TOO_MANY_FILES', limit);
      return false;
    }
    if (this.#session.opened && !(await this.#session.takesFiles())) {
      await this.#outcomes.rejected(part, 'UPLOAD_SESSION_ENDED', 'the upload session takes no more files');
      return false;
    }
    await this.#outcomes.uploading(part);
    return true;
  }

  accepted(part: FilePart, outcome: IngestOutcome, { mediaType }: StoredUpload): void {
    if ('created' in outcome) {
      this.#session.announce(outcome.created);
      const { id, objectKey } = outcome.created;
      this.#outcomes.stored(part, 'accepted', { fileId: id, objectKey, mediaType, file: outcome.created });
    } else {
      const { id, objectKey } = outcome.duplicateOf;
      const file = outcome.duplicateOf;
      this.#outcomes.stored(part, 'skipped', { fileId: id, objectKey, mediaType, file });
    }
  }

  refused(part: FilePart, error: unknown): Promise<void> {
    return this.#outcomes.rejectedFor(error, part);
  }
}
