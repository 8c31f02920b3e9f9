import { ApiError } from './errors.ts';
import { openSource, type Content, type UploadSource } from './sources.ts';
import { delay, pauseMs, type Transport } from './transport.ts';
import { isDirectOnly, type Uploaded, type UploadOptions, type UploadOutcome } from './upload-fields.ts';
import { uploadBatch } from './upload-form.ts';

/** Maximum number of files whose ids the response to one request contains. */
const FEW = 5;
const FEW_BYTES = 32 * 1024 * 1024;
/** Maximum number of retries of temporarily rejected files. */
const USUAL_RETRIES = 2;
/** Not retried, because credits are renewed only next month. */
const NO_CREDITS = 'QUOTA_EXHAUSTED';

/** Options that apply to each of many files. */
export type ManyOptions = Omit<UploadOptions, 'filename' | 'contentType' | 'onProgress'>;

/** A file of a list, opened. */
type Opened = Pick<UploadOutcome, 'index' | 'source'> & { content: Content };

/** Sends up to five files in one request, whose response has the id of each. */
async function uploadFew(
  transport: Transport,
  files: readonly Opened[],
  options: UploadOptions,
): Promise<UploadOutcome[]> {
  const ends = new Map<number, Pick<UploadOutcome, 'uploaded' | 'error'>>();
  const { retries = USUAL_RETRIES, signal, onRetry } = options;
  let left = [...files];
  for (let failures = 0; ;) {
    let reason: ApiError | undefined;
    const again: Opened[] = [];
    try {
      const contents = left.map(({ content }) => content);
      const answer = await uploadBatch(transport, contents, options);
      const rejections = new Map(answer.rejections.map((rejection) => [rejection.index, rejection]));
      for (const [at, file] of left.entries()) {
        const rejection = rejections.get(at);
        const { file_id: id, skipped = false } = answer.immediate_results[at] ?? {};
        if (!rejection && id) ends.set(file.index, { uploaded: { file_id: id, skipped } });
        else if (rejection?.retryable && rejection.code !== NO_CREDITS && failures < retries) {
          again.push(file);
          reason = refusal(rejection);
        } else ends.set(file.index, { error: refusal(rejection) });
      }
    } catch (error) {
      signal?.throwIfAborted();
      for (const { index } of left) ends.set(index, { error: asError(error) });
    }
    left = again;
    if (!reason) break;
    failures += 1;
    const pause = pauseMs(failures);
    onRetry?.(reason, pause);
    await delay(pause, signal);
  }
  return files.map(({ index, source, content: { filename } }) => {
    return { index, source, filename, ...ends.get(index) } as UploadOutcome;
  });
}

function refusal(rejection?: { code: string; reason: string }): ApiError {
  const { code, reason } = rejection ?? {
    code: 'NOT_STORED',
    reason: 'the response of the API lacks the file',
  };
  return new ApiError(code, reason, { status: 201 });
}

/**
 * Uploads files; small files are sent several per request.
 *
 * @param options `alone` uploads a large file
 * @yields the outcome of each file as soon as it is known
 * @throws the reason of the signal
 */
export async function* uploadMany(
  transport: Transport,
  sources: Iterable<UploadSource> | AsyncIterable<UploadSource>,
  {
    alone,
    mostStreamed,
    ...options
  }: ManyOptions & { alone: (content: Content) => Promise<Uploaded>; mostStreamed: number },
): AsyncGenerator<UploadOutcome, void, undefined> {
  const mostTogether = Math.min(FEW_BYTES, mostStreamed);
  let [few, bytes, index]: [Opened[], number, number] = [[], 0, -1];
  const sendFew = async () => {
    const files = few;
    [few, bytes] = [[], 0];
    try {
      return await uploadFew(transport, files, options);
    } finally {
      await removeAll(files);
    }
  };
  try {
    for await (const source of sources) {
      options.signal?.throwIfAborted();
      index += 1;
      const own = { index, source };
      const content = await openSource(source, { signal: options.signal }).catch(asError);
      options.signal?.throwIfAborted();
      if (content instanceof Error) yield { ...own, filename: nameOf(source), error: content };
      else if (content.blob.size <= mostTogether && !(await isDirectOnly(content))) {
        if (few.length === FEW || bytes + content.blob.size > FEW_BYTES) yield* await sendFew();
        few.push({ ...own, content });
        bytes += content.blob.size;
      } else {
        const end = await alone(content).then(
          (uploaded) => ({ uploaded }),
          (error: unknown) => ({ error: asError(error) }),
        );
        await content.remove?.();
        options.signal?.throwIfAborted();
        yield { ...own, filename: content.filename, ...end };
      }
    }
    if (few.length > 0) yield* await sendFew();
  } finally {
    await removeAll(few);
  }
}

async function removeAll(files: readonly Opened[]): Promise<void> {
  for (const { content } of files) await content.remove?.();
}

function nameOf(source: UploadSource): string {
  return typeof source === 'string' || source instanceof URL ? String(source) : 'file';
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
