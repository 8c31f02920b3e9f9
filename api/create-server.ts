import { randomUUID } from 'node:crypto';
import { createServer, STATUS_CODES, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { AppError, type ErrorCode } from '../domain/app-error.ts';
import { renderError } from './http/problem.ts';
import { isWebSocketRequest, serveUpgrades } from './live/live-sockets.ts';

/** Rejections of Node's parser, by error code; all others are malformed requests. */
const PARSER_ERRORS: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'the headers are larger than 16 KB together'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'the request took too long to arrive'],
};
const MALFORMED = ['BAD_REQUEST', 'this is not a valid HTTP/1.1 request'] as const;

/** An HTTP server of the application, not listening yet. */
export function createApiServer(app: Koa, options: ServerOptions = {}): Server {
  const answer = app.callback();
  const server = createServer({ ...options, shouldUpgradeCallback: isWebSocketRequest });
  server.on('request', (request, response) => void answer(request, response));
  // The application refuses expectations, so that they are logged and refused like everything else.
  server.on('checkExpectation', (request, response) => void answer(request, response));
  server.on('clientError', answerParserError);
  serveUpgrades(server, answer);
  return server;
}

/** Requests that Node cannot parse never reach the application, but get the common error shape as well. */
function answerParserError(
  error: Error & { code?: string },
  socket: Duplex & { _httpMessage?: ServerResponse },
) {
  // Like Node's own handler: another response on this connection must not be interrupted.
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const [code, message] = PARSER_ERRORS[error.code ?? ''] ?? MALFORMED;
  const { status, body } = renderError(new AppError(code, message), requestId);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}
