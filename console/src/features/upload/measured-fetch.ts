/**
 * A `fetch` that reports how many bytes of a body were sent, which that of browsers cannot.
 *
 * @param onBytes called with the number of further bytes; negative for those of an attempt that failed
 */
export function measuredFetch(onBytes: (bytes: number) => void) {
  return (request: Request, init?: RequestInit): Promise<Response> => {
    const isUpload =
      request.method === 'PUT' || request.headers.get('content-type')?.startsWith('multipart/form-data');
    return isUpload ? send(request, init?.signal ?? undefined, onBytes) : fetch(request, init);
  };
}

async function send(
  request: Request,
  signal: AbortSignal | undefined,
  onBytes: (bytes: number) => void,
): Promise<Response> {
  const body = await request.blob();
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const xhr = new XMLHttpRequest();
  const abort = () => xhr.abort();
  let reported = 0;
  xhr.open(request.method, request.url);
  xhr.responseType = 'text';
  for (const [name, value] of request.headers) xhr.setRequestHeader(name, value);
  xhr.upload.addEventListener('progress', ({ loaded }) => {
    onBytes(loaded - reported);
    reported = loaded;
  });
  xhr.addEventListener('load', () => {
    // A redirect would have been followed with another method.
    if (xhr.responseURL !== request.url) return reject(new TypeError('the upload was redirected'));
    onBytes(body.size - reported);
    const headers = new Headers(
      xhr
        .getAllResponseHeaders()
        .trim()
        .split(/\r?\n/)
        .filter(Boolean)
        .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const { status, statusText } = xhr;
    resolve(new Response(status === 204 ? null : xhr.responseText, { status, statusText, headers }));
  });
  const fail = (error: unknown) => {
    onBytes(-reported);
    reject(error);
  };
  xhr.addEventListener('error', () => fail(new TypeError('Failed to send')));
  xhr.addEventListener('abort', () => fail(signal?.reason ?? new DOMException('Aborted', 'AbortError')));
  signal?.addEventListener('abort', abort);
  xhr.send(body);
  try {
    return await promise;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
