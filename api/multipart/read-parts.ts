import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { MAX_STREAMED_BYTES } from '../../domain/limits.ts';
import { AppError } from '../../domain/app-error.ts';
import { FORM_BYTES, openForm } from './open-form.ts';

/** Which parts of a form are its files. */
export interface FileRule {
  /** The documented field name. */
  name: string;
  /** Other accepted names. */
  aliases?: readonly string[];
  /** Maximum number of parts with these names; one more fails the request. */
  max: number;
}

export const ONE_FILE: FileRule = { name: 'file', max: 1 };
/**
 * Some form libraries send `files[]` for `files`. The maximum is far above any tier's, so that each file over a tier's
 * limit is rejected by name.
 */
export const MANY_FILES: FileRule = { name: 'files', aliases: ['files[]'], max: 1000 };

/** A part of the form. A file's stream must be read to its end, or drained. */
export type FormPart =
  | { type: 'field'; name: string; value: string }
  | {
      type: 'file';
      index: number;
      filename: string | undefined;
      /** As declared, or the default of the format. */
      contentType: string | undefined;
      stream: Readable;
    };

export interface PartRules {
  files: FileRule;
  /** Aborts reading. */
  signal?: AbortSignal | undefined;
}

/**
 * The parts of a multipart request in order: a file is read only after the previous one has been consumed, so that a
 * request of any length uses the memory of one file.
 *
 * @throws AppError BAD_REQUEST for a malformed form, CLIENT_GONE, FILE_TOO_LARGE for a form larger than the maximum of
 *   all its files together, and the reason of the signal; the stream of the current file fails as well
 */
export async function* readParts(
  request: IncomingMessage,
  { files, signal }: PartRules,
): AsyncGenerator<FormPart, void, void> {
  const names = new Set([files.name, ...(files.aliases ?? [])]);
  const form = openForm(request, { signal, maxBytes: files.max * MAX_STREAMED_BYTES + FORM_BYTES });
  const queue: FormPart[] = [];
  let last: Readable | undefined;
  let count = 0;
  let state: { ended: boolean; failure?: unknown } = { ended: false };
  let wake = Promise.withResolvers<void>();

  function push(part: FormPart): void {
    queue.push(part);
    wake.resolve();
  }
  function end(failure?: unknown): void {
    state = { ended: true, failure };
    // Only the last one can be incomplete: the parser opens a part after the end of the previous one.
    if (failure !== undefined) last?.destroy(failure instanceof Error ? failure : undefined);
    wake.resolve();
  }

  const onField = (name: string | undefined, value: string) => {
    if (name === undefined) form.fail(new AppError('BAD_REQUEST', 'a part of the form has no name'));
    else push({ type: 'field', name, value });
  };
  form.parser.on('field', onField);
  type FileListener = (
    name: string | undefined,
    stream: Readable,
    filename: string | undefined,
    encoding: string,
    contentType: string | undefined,
  ) => void;
  const onFile: FileListener = (name, stream, filename, _encoding, contentType) => {
    if (name === undefined || !names.has(name) || count === files.max) {
      stream.resume();
      form.fail(unexpectedFile(name, files));
      return;
    }
    last = stream;
    push({ type: 'file', index: count++, filename, contentType, stream });
  };
  form.parser.on('file', onFile);
  form.read().then(() => end(), end);

  try {
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
  } finally {
    form.close();
  }
}

function unexpectedFile(name: string | undefined, { name: expected, max }: FileRule): AppError {
  const what = name === undefined ? 'without a name' : `"${name}"`;
  const hint = max === 1 ? 'exactly one' : `at most ${max}`;
  return new AppError('BAD_REQUEST', `unexpected file part ${what}; send ${hint}, named "${expected}"`);
}
