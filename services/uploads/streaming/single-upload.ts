import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { Engine } from '../../../temporal/client.ts';
import type { PriorityName } from '../../../temporal/contract/queues.ts';
import { startFileWork } from '../../processing/start-file-work.ts';
import type { IngestOutcome } from '../ingest-file.ts';
import type { FilePart, IntakeTarget } from './intake.ts';
import type { StoredUpload } from './upload-sink.ts';

export interface SingleUploadDeps {
  em: EntityManager;
  engine: Engine;
  /** Reports errors that do not affect the response. */
  onTrouble: (error: unknown, what: string) => void;
  /** `normal` where absent. */
  priority?: PriorityName;
}

/** The result of a single-file request. */
export interface UploadedFile {
  /** The created file, or the existing one. */
  file: StoredFile;
  skipped: boolean;
  stored: StoredUpload;
  /** Whether the engine has started the work; if not, the sweep does. */
  started: boolean;
}

/** A single-file request, which starts its own workflow. Any error of the file ends the request. */
export class SingleUpload implements IntakeTarget {
  readonly #deps: SingleUploadDeps;
  /** Set at the end of the request. */
  result: UploadedFile | undefined;

  constructor(deps: SingleUploadDeps) {
    this.#deps = deps;
  }

  async accepted(_part: FilePart, outcome: IngestOutcome, stored: StoredUpload): Promise<void> {
    this.result =
      'created' in outcome
        ? { file: outcome.created, skipped: false, stored, started: await this.#start(outcome.created) }
        : { file: outcome.duplicateOf, skipped: true, stored, started: false };
  }

  async refused(_part: FilePart, error: unknown): Promise<never> {
    throw error;
  }

  /** The file is stored whether or not its work can be started: the sweep retries. */
  async #start(file: StoredFile): Promise<boolean> {
    const { em, engine, onTrouble, priority } = this.#deps;
    try {
      return await startFileWork({ em, engine }, file, priority);
    } catch (error) {
      onTrouble(error, `the engine refused to start the work of file ${file.id}`);
      return false;
    }
  }
}
