import type { Context } from 'koa';
import { koaBody } from 'koa-body';
import { MAX_STREAMED_BYTES } from '../domain/limits.ts';
import { Refusal } from '../domain/refusal.ts';
import type { StoredUpload, UploadSink } from '../services/upload-sink.ts';

/** Room for the form's own text beside the file. */
export const FORM_BYTES = 256 * 1024;
/** What is left of a refused body is read for so long, that the client gets to read the answer. */
const LINGER_MS = 5000;

export interface ReceivedUpload {
  fields: Record<string, unknown>;
  /** As the client sent it. */
  filename: string | null;
  stored: StoredUpload;
}

/**
 * Streams the one `file` part of a multipart request into a sink, and gathers the text fields around it.
 *
 * @throws Refusal BAD_REQUEST for a body that is no such form, and whatever the sink refuses; then nothing is stored
 */
export async function receiveUpload(ctx: Context, openSink: () => UploadSink): Promise<ReceivedUpload> {
  if (!ctx.is('multipart/form-data'))
    throw new Refusal('BAD_REQUEST', 'send the file as multipart/form-data');
  let sink: UploadSink | undefined;
  let filename: string | null = null;
  let stray: string | undefined;
  const parse = koaBody({
    multipart: true,
    json: false,
    urlencoded: false,
    text: false,
    formidable: {
      maxFiles: 2,
      maxFields: 100,
      maxFieldsSize: FORM_BYTES,
      // The sink has the say on sizes, and its own words for them.
      allowEmptyFiles: true,
      minFileSize: 0,
      maxFileSize: MAX_STREAMED_BYTES * 2,
      maxTotalFileSize: MAX_STREAMED_BYTES * 2,
      filter: ({ name, originalFilename }) => {
        const wanted = name === 'file' && sink === undefined && originalFilename !== null;
        if (!wanted) stray ??= `unexpected file part "${name}"; send exactly one, named "file"`;
        else filename = originalFilename;
        return wanted;
      },
      fileWriteStreamHandler: () => (sink = openSink()).writable,
    },
  });

  try {
    await parse(ctx, async () => undefined);
    if (stray) throw new Refusal('BAD_REQUEST', stray);
    if (!sink)
      throw new Refusal('VALIDATION_FAILED', '/form/file: required', {
        errors: [{ pointer: '/form/file', message: 'required' }],
      });
    const stored = await (sink as UploadSink).result;
    return { fields: (ctx.request as { body?: Record<string, unknown> }).body ?? {}, filename, stored };
  } catch (error) {
    const failed = sink as UploadSink | undefined;
    failed?.writable.destroy(error instanceof Error ? error : undefined);
    const reason = await failed?.result.then(
      () => undefined,
      (cause: unknown) => cause,
    );
    linger(ctx);
    throw reason instanceof Refusal ? reason : translate(error, ctx);
  }
}

function translate(error: unknown, ctx: Context): unknown {
  if (error instanceof Refusal) return error;
  if (ctx.req.destroyed && !ctx.req.complete) return new Refusal('CLIENT_GONE', 'the client went away');
  const { httpCode, code } = error as { httpCode?: number; code?: number };
  if (httpCode !== undefined || code !== undefined) {
    const message = error instanceof Error ? error.message : 'unreadable form';
    return new Refusal('BAD_REQUEST', `the form cannot be read: ${message}`, {}, { cause: error });
  }
  return error;
}

/** Reads on for a while without keeping anything; a client that is still sending would not see the answer otherwise. */
function linger(ctx: Context): void {
  const { req } = ctx;
  req.unpipe();
  req.resume();
  const timer = setTimeout(() => req.destroy(), LINGER_MS);
  req.once('close', () => clearTimeout(timer));
  req.once('end', () => clearTimeout(timer));
}
