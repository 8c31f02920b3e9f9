import { Busboy } from '@fastify/busboy';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { Refusal } from '../domain/refusal.ts';
import type { StoredUpload, UploadSink } from '../services/upload-sink.ts';

/** Room for the form's own text beside the file. */
export const FORM_BYTES = 256 * 1024;
const MAX_FIELDS = 100;
/** What is left of a refused body is read for so long, that the client gets to read the answer. */
const LINGER_MS = 5000;

export interface ReceivedUpload {
  /** The text fields; of those that come twice, the last. */
  fields: Record<string, string>;
  /** As the client sent it; undefined when it sent none. */
  filename: string | undefined;
  stored: StoredUpload;
}

/**
 * Streams the one `file` part of a multipart request into a sink, and gathers the text fields around it. A part is a
 * file by its name, whatever content type it declares or leaves out.
 *
 * @throws Refusal BAD_REQUEST for a body that is no such form, CLIENT_GONE, and whatever the sink refuses; then
 *   nothing is stored
 */
export async function receiveUpload(ctx: Context, openSink: () => UploadSink): Promise<ReceivedUpload> {
  const form = openForm(ctx.req);
  const fields = new Map<string, string>();
  let sink: UploadSink | undefined;
  let filename: string | undefined;
  let piping: Promise<void> = Promise.resolve();

  form.parser.on('field', (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) form.fail(new Refusal('BAD_REQUEST', `the form field "${name}" is too long`));
    fields.set(name, value);
  });
  form.parser.on('file', (name, stream: Readable, givenName) => {
    if (name !== 'file' || sink) {
      stream.resume();
      form.fail(new Refusal('BAD_REQUEST', `unexpected file part "${name}"; send exactly one, named "file"`));
      return;
    }
    filename = givenName;
    sink = openSink();
    piping = pipeline(stream, sink.writable);
    piping.catch(form.fail);
  });

  try {
    await form.read();
    if (!sink) {
      const errors = [{ pointer: '/form/file', message: 'required' }];
      throw new Refusal('VALIDATION_FAILED', '/form/file: required', { errors });
    }
    await piping;
    return { fields: Object.fromEntries(fields), filename, stored: await sink.result };
  } catch (error) {
    linger(ctx.req);
    await undo(sink, error);
    throw error;
  }
}

export interface Form {
  parser: InstanceType<typeof Busboy>;
  /** Ends the reading with this error; the first one counts. */
  fail: (error: unknown) => void;
  /** Reads the request to its end. */
  read: () => Promise<void>;
}

/** Opens the form of a multipart request. Whoever listens to its parser does so before `read`. */
export function openForm(request: IncomingMessage): Form {
  const ended = Promise.withResolvers<void>();
  // Failures before `read` is awaited must not count as unhandled.
  ended.promise.catch(() => undefined);
  const parser = createParser(request);
  parser.once('finish', () => ended.resolve());
  parser.once('error', (error: unknown) => ended.reject(unreadable(error)));
  parser.once('fieldsLimit', () =>
    ended.reject(new Refusal('BAD_REQUEST', `at most ${MAX_FIELDS} form fields`)),
  );
  request.once('close', () => {
    if (!request.complete) ended.reject(new Refusal('CLIENT_GONE', 'the client went away'));
  });
  return {
    parser,
    fail: ended.reject,
    read() {
      request.pipe(parser);
      return ended.promise;
    },
  };
}

function createParser(request: IncomingMessage): InstanceType<typeof Busboy> {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data/i.test(contentType)) {
    throw new Refusal('BAD_REQUEST', 'send the file as multipart/form-data');
  }
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      limits: { fields: MAX_FIELDS, fieldSize: FORM_BYTES, fieldNameSize: 100, headerPairs: 100 },
    });
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): unknown {
  if (error instanceof Refusal) return error;
  const message = error instanceof Error ? error.message : 'unreadable';
  return new Refusal('BAD_REQUEST', `the form cannot be read: ${message}`, {}, { cause: error });
}

/** Whatever went wrong around it, a sink that was opened leaves nothing in the store. */
async function undo(sink: UploadSink | undefined, error: unknown): Promise<void> {
  sink?.writable.destroy(error instanceof Error ? error : undefined);
  await sink?.discard();
}

/** Reads on for a while without keeping anything; a client that is still sending would not see the answer otherwise. */
export function linger(request: IncomingMessage): void {
  request.unpipe();
  request.resume();
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => clearTimeout(timer));
}
