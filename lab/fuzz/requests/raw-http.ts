import { connect } from 'node:net';
import fc, { type Arbitrary } from 'fast-check';
import { Finding } from '../run-part.ts';

/**
 * How the length of a body is declared and kept: `short`: the declared length is less than what is sent; `cut`: the
 * client leaves before it has sent what it declared; `broken-chunks`: a chunk has another size than it says.
 */
export type Framing = 'exact' | 'short' | 'cut' | 'chunked' | 'broken-chunks';

export const framing = (): Arbitrary<Framing> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant<Framing>('exact') },
    { weight: 4, arbitrary: fc.constantFrom<Framing>('short', 'cut', 'chunked', 'broken-chunks') },
  );

export interface RawRequest {
  method: string;
  /** Path and query. */
  target: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  framing: Framing;
}

export interface RawAnswer {
  status: number;
  /** By name in lower case. */
  headers: ReadonlyMap<string, string>;
  body: string;
}

/** Longest silence of the server. */
const SILENCE_MS = 60_000;
const LINE = '\r\n';

/** A request as it is sent, which asks the server to close the connection. */
export function renderRequest(request: RawRequest, host: string): Buffer {
  const { method, target, headers, body, framing } = request;
  const half = Math.ceil(body.length / 2);
  const length: Record<string, string> =
    framing.endsWith('chunks') || framing === 'chunked'
      ? { 'Transfer-Encoding': 'chunked' }
      : { 'Content-Length': `${framing === 'short' ? half : body.length}` };
  const head = Object.entries({ Host: host, Connection: 'close', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const sent = framing === 'cut' ? body.subarray(0, half) : body;
  const declared = framing === 'broken-chunks' ? half : body.length;
  const chunk = [`${declared.toString(16)}${LINE}`, body, `${LINE}0${LINE}${LINE}`];
  return Buffer.concat(
    [
      [`${method} ${target} HTTP/1.1`, ...head, '', ''].join(LINE),
      ...('Transfer-Encoding' in length && body.length > 0 ? chunk : [sent]),
    ].map((piece) => Buffer.from(piece)),
  );
}

/**
 * Sends a request on a connection of its own.
 *
 * @returns undefined if the server closed the connection without an answer
 * @throws Finding if the server does not accept connections, is silent for a minute, or sends something else than HTTP
 */
export async function sendRaw(origin: URL, request: RawRequest): Promise<RawAnswer | undefined> {
  const bytes = renderRequest(request, origin.host);
  const received = await exchange(origin, bytes, { leave: request.framing === 'cut' });
  return received.length === 0 ? undefined : parseAnswer(received);
}

/**
 * Sends bytes and collects what comes back until the server closes.
 *
 * @param leave whether the client closes its side after the last byte
 * @throws Finding if the server does not accept connections, or is silent for a minute
 */
export function exchange(
  { hostname, port }: URL,
  bytes: Uint8Array,
  { leave }: { leave: boolean },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.setTimeout(SILENCE_MS, () => {
      reject(new Finding('silence', `the server sent nothing for ${SILENCE_MS / 1000} s`));
      socket.destroy();
    });
    socket.on('data', (chunk) => received.push(chunk));
    socket.once('end', () => socket.destroy());
    socket.once('close', () => resolve(Buffer.concat(received)));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // A server may close while the client still sends.
      if (error.syscall === 'connect') reject(new Finding('no connection', error.message, { cause: error }));
    });
    socket.write(bytes, () => leave && socket.end());
  });
}

/** @throws Finding for anything but a complete HTTP response */
export function parseAnswer(received: Buffer): RawAnswer {
  const text = received.toString('latin1');
  const end = text.indexOf(LINE + LINE);
  const [first = '', ...lines] = text.slice(0, end).split(LINE);
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1];
  if (end < 0 || status === undefined) throw new Finding('not HTTP', text.slice(0, 1000));
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const body = received.subarray(end + 4);
  const isChunked = headers.get('transfer-encoding') === 'chunked';
  return { status: Number(status), headers, body: (isChunked ? unchunk(body) : body).toString() };
}

function unchunk(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const end = body.indexOf(LINE, at);
    const size = Number.parseInt(body.toString('latin1', at, end), 16);
    if (end < 0 || !(size > 0)) return Buffer.concat(chunks);
    chunks.push(body.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
