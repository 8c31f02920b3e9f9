import type { Readable } from 'node:stream';
import { invalidField, type AppError } from '../../../domain/app-error.ts';
import type { ObjectPlace } from '../../../domain/object-keys.ts';
import type { UploadAttributes } from '../ingest-file.ts';

/** One file of a request, as it arrives. */
export interface IncomingPart {
  index: number;
  /** Cleaned. */
  filename: string;
  /** As declared by the client. */
  contentType?: string | undefined;
  /** Where its object belongs. */
  place: ObjectPlace;
  /** To be read to its end, or drained, before the next file is asked for. */
  stream: Readable;
  /**
   * From the text fields before the first file, which have been validated before any of its bytes are read. Absent if
   * there were none, so that they may follow the files. Those of a batch are final.
   */
  attributes?: UploadAttributes | undefined;
}

/** The body of an upload request, which is read while its files are consumed. */
export interface UploadRequest {
  /** The name of the field of its files. */
  fileField: string;
  /**
   * The files, in order. Leaving the loop stops reading.
   *
   * @throws AppError CLIENT_GONE, BAD_REQUEST for a body that breaks off, and the errors of the text fields
   */
  files: AsyncIterable<IncomingPart> | Iterable<IncomingPart>;
  /** From the text fields received so far. @throws AppError when they are invalid */
  attributes(): Promise<UploadAttributes>;
}

export function missingFile({ fileField }: UploadRequest): AppError {
  return invalidField(`/form/${fileField}`, 'is required');
}
