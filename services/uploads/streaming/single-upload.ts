import type { EntityManager } from '@mikro-orm/postgresql';
import type { StoredFile } from '../../../db/entities/files/stored-file.ts';
import type { Engine } from '../../../temporal/client.ts';
import { startFileWork } from '../../processing/start-file-work.ts';
import type { IngestOutcome } from '../ingest-file.ts';
import type { FilePart, IntakeTarget } from './intake.ts';
import type { StoredUpload } from './upload-sink.ts';

export interface SingleUploadDeps {
  em: EntityManager;
  engine: Engine;
  /** Told of what went wrong beside the answer. */
  onTrouble: (error: unknown, what: string) => void;
}

/** What became of the one file of a request. */
export interface UploadedFile {
  /** The file that was made, or the one that was there. */
  file: StoredFile;
  skipped: boolean;
  stored: StoredUpload;
  /** Whether the engine has taken the work; if not, the sweep brings it there. */
  started: boolean;
}

/** A request of one file, which starts its own workflow. Whatever is wrong with the file ends the request. */
export class SingleUpload implements IntakeTarget {
  readonly #deps: SingleUploadDeps;
  /** Set once the request has come to its end. */
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

  /** The file is stored, whatever the engine says of its work: the sweep asks again. */
  async #start(file: StoredFile): Promise<boolean> {
    const { em, engine, onTrouble } = this.#deps;
    try {
      return await startFileWork({ em, engine }, file);
    } catch (error) {
      onTrouble(error, `the engine refused to start the work of file ${file.id}`);
      return false;
    }
  }
}
