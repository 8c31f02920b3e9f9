import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { invalidField, AppError } from '../../domain/app-error.ts';
import type { StoredUpload, UploadSink } from '../../services/uploads/streaming/upload-sink.ts';
import { drainRequest, openForm, type FormLimits } from './open-form.ts';

export interface ReceivedUpload {
  /** The known text fields; of those that come twice, the last. */
  fields: Record<string, string>;
  /** As the client sent it; undefined when it sent none. */
  filename: string | undefined;
  stored: StoredUpload;
}

/**
 * Streams the one `file` part of a multipart request into a sink, and gathers the text fields around it.
 *
 * @throws AppError BAD_REQUEST for a body that is no such form, CLIENT_GONE, UPLOAD_TOO_SLOW, and whatever the sink
 *   refuses; then nothing is stored
 */
export async function receiveUpload(
  ctx: Context,
  limits: FormLimits,
  openSink: () => UploadSink,
): Promise<ReceivedUpload> {
  const form = openForm(ctx.req, limits);
  let sink: UploadSink | undefined;
  let filename: string | undefined;
  let piping: Promise<void> = Promise.resolve();

  form.parser.on('file', (name: string | undefined, stream: Readable, givenName: string | undefined) => {
    if (name !== 'file' || sink) {
      stream.resume();
      const what = name === undefined ? 'without a name' : `"${name}"`;
      form.fail(new AppError('BAD_REQUEST', `unexpected file part ${what}; send exactly one, named "file"`));
      return;
    }
    filename = givenName;
    sink = openSink();
    piping = pipeline(stream, sink.writable);
    piping.catch(form.fail);
  });

  try {
    await form.read();
    if (!sink) throw invalidField('/form/file', 'required');
    await piping;
    return { fields: Object.fromEntries(form.fields), filename, stored: await sink.result };
  } catch (error) {
    drainRequest(ctx.req);
    await undo(sink, error);
    throw error;
  }
}

/** Whatever went wrong around it, a sink that was opened leaves nothing in the store. */
async function undo(sink: UploadSink | undefined, error: unknown): Promise<void> {
  sink?.writable.destroy(error instanceof Error ? error : undefined);
  await sink?.discard();
}
