import { Busboy } from '@fastify/busboy';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../domain/app-error.ts';
import { aborted } from '../http/watch-body.ts';
import { withPlainFilename } from './part-filename.ts';

/** Size limit of all text fields of a form together. */
export const FORM_BYTES = 256 * 1024;
/** Parts with these names are files, whatever headers they have. */
const FILE_NAMES = new Set(['file', 'files', 'files[]']);
const MAX_FIELDS = 100;

export interface FormLimits {
  /** Aborts reading. */
  signal?: AbortSignal | undefined;
  /** Limit of the whole body, including ignored parts; a body of undeclared length could be endless. */
  maxBytes: number;
}

export interface Form {
  parser: InstanceType<typeof Busboy>;
  /** Aborts reading with this error; the first one wins. */
  fail: (error: unknown) => void;
  /** Reads the request to its end. */
  read: () => Promise<void>;
  /** Stops reading a body that is no longer needed. */
  close: () => void;
}

/**
 * Prepares to read a multipart request. The caller handles its parts (`parser.on('field')`, `parser.on('file')`).
 * A part is a file when it is named `file` or `files`, or has a file name, whatever its content type.
 *
 * @throws AppError BAD_REQUEST for a malformed form; `read` also CLIENT_GONE, FILE_TOO_LARGE and the reason of the signal
 */
export function openForm(request: IncomingMessage, { signal, maxBytes }: FormLimits): Form {
  const ended = Promise.withResolvers<void>();
  // Failures before `read` is awaited must not count as unhandled.
  ended.promise.catch(() => undefined);
  const parser = createParser(request);
  parser.once('finish', () => ended.resolve());
  parser.once('error', (error: unknown) => ended.reject(unreadable(error)));
  // Errors of truncated parts come from the parser, also on streams that no longer have a listener.
  parser.on('file', (_name, stream) => {
    stream.on('error', (error) => stream.destroy(unreadable(error)));
  });
  parser.once('fieldsLimit', () =>
    ended.reject(new AppError('BAD_REQUEST', `at most ${MAX_FIELDS} form fields`)),
  );
  const gone = () => {
    if (!request.readableEnded) ended.reject(new AppError('CLIENT_GONE', 'the client disconnected'));
  };
  // A client that disconnected during authentication has already closed: no event will follow.
  if (request.destroyed) gone();
  else request.once('close', gone);
  aborted(signal).catch(ended.reject);
  limitFields(parser, ended.reject);
  return {
    parser,
    close() {
      request.unpipe(parser);
      ended.resolve();
    },
    fail: ended.reject,
    read() {
      request.pipe(parser);
      const stop = limitBytes(request, maxBytes, ended.reject);
      return ended.promise.finally(stop);
    },
  };
}

function limitFields(parser: Form['parser'], fail: Form['fail']): void {
  let bytes = 0;
  parser.on('field', (_name, value, nameCut, valueCut) => {
    bytes += Buffer.byteLength(value);
    if (nameCut || valueCut || bytes > FORM_BYTES) {
      fail(new AppError('BAD_REQUEST', `the form fields are too long: ${FORM_BYTES} bytes together at most`));
    }
  });
}

/** Fails a body that is too large. @returns a function that stops counting */
function limitBytes(request: IncomingMessage, maxBytes: number, fail: Form['fail']): () => void {
  let total = 0;
  const count = (chunk: Buffer) => {
    total += chunk.length;
    if (total > maxBytes) fail(new AppError('FILE_TOO_LARGE', `the form is larger than ${maxBytes} bytes`));
  };
  request.on('data', count);
  return () => request.off('data', count);
}

function createParser(request: IncomingMessage): Form['parser'] {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data *(;|$)/i.test(contentType)) {
    throw new AppError('BAD_REQUEST', 'send the file as multipart/form-data');
  }
  try {
    const parser = new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      // "A correct Content-Type in multipart data is not needed."
      isPartAFile: (name, _contentType, filename) => FILE_NAMES.has(name ?? '') || filename !== undefined,
      limits: { fields: MAX_FIELDS, fieldSize: FORM_BYTES, fieldNameSize: 100, headerPairs: 100 },
    });
    readNames(parser);
    return parser;
  } catch (error) {
    throw unreadable(error);
  }
}

/** Reads file names before the parser does, which loses some. It has no public way to the headers of a part. */
function readNames(parser: Form['parser']): void {
  const { parser: parts } = (parser as unknown as { _parser: { parser: EventEmitter } })._parser;
  parts.prependListener('part', (part: EventEmitter) => {
    part.prependListener('header', (header: Record<string, string[]>) => {
      const [disposition] = header['content-disposition'] ?? [];
      if (disposition !== undefined) header['content-disposition'] = [withPlainFilename(disposition)];
    });
  });
}

function unreadable(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const message = error instanceof Error ? error.message : 'unreadable';
  return new AppError('BAD_REQUEST', `the form cannot be read: ${message}`, {}, { cause: error });
}
