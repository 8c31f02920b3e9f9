import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { AppError } from '../../domain/app-error.ts';
import type { PaceLimit } from '../../services/uploads/streaming/upload-pace.ts';
import { openForm } from './open-form.ts';

/** Far above every tier, so that each file over a limit is told so by name; what goes on after that is no batch. */
const MAX_FILE_PARTS = 1000;
/** `files[]` is what some form libraries make of `files`. */
const FILE_FIELDS = new Set(['files', 'files[]']);

/** A part of the form, in the order in which it came. A file's stream must be read to its end, or drained. */
export type BatchPart =
  | { type: 'field'; name: string; value: string }
  | { type: 'file'; index: number; filename: string | undefined; stream: Readable };

/**
 * The parts of a multipart request with many files, one after the other: the next file is not read before the one at
 * hand is done with, so a request of any length takes the memory of one file.
 *
 * @param fields text fields by these names are given on, others read over
 * @throws AppError BAD_REQUEST for a body that is no such form, CLIENT_GONE, UPLOAD_TOO_SLOW; the file at hand is torn off with it
 */
export async function* receiveBatch(
  request: IncomingMessage,
  fields: ReadonlySet<string>,
  pace: PaceLimit,
): AsyncGenerator<BatchPart, void, void> {
  const form = openForm(request, { fields, pace, maxBytes: MAX_FILE_PARTS * MAX_STREAMED_BYTES });
  const queue: BatchPart[] = [];
  let last: Readable | undefined;
  let files = 0;
  let state: { ended: boolean; failure?: unknown } = { ended: false };
  let wake = Promise.withResolvers<void>();

  function push(part: BatchPart): void {
    queue.push(part);
    wake.resolve();
  }
  function end(failure?: unknown): void {
    state = { ended: true, failure };
    // Only the last one can be torn: the parser opens a part when it has seen the end of the one before.
    if (failure !== undefined) last?.destroy(failure instanceof Error ? failure : undefined);
    wake.resolve();
  }

  form.parser.on('field', (name, value) => {
    if (fields.has(name)) push({ type: 'field', name, value });
  });
  form.parser.on('file', (name: string | undefined, stream: Readable, filename: string | undefined) => {
    if (name === undefined || !FILE_FIELDS.has(name) || files === MAX_FILE_PARTS) {
      stream.resume();
      const why = FILE_FIELDS.has(name ?? '')
        ? `a batch may have ${MAX_FILE_PARTS} file parts at most`
        : `unexpected file part "${name ?? ''}"; files of a batch are named "files"`;
      form.fail(new AppError('BAD_REQUEST', why));
      return;
    }
    last = stream;
    push({ type: 'file', index: files++, filename, stream });
  });
  form.read().then(() => end(), end);

  for (;;) {
    const part = queue.shift();
    if (part) {
      yield part;
    } else {
      if (state.failure !== undefined) throw state.failure;
      if (state.ended) return;
      await wake.promise;
      wake = Promise.withResolvers();
    }
  }
}
