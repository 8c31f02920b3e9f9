import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { Darkroom, type TransportOptions } from '../../../sdk/src/index.ts';

/** A request received by a tiny API. */
export interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A response: a status with JSON, or a function that writes it. */
type Reply =
  | [status: number, body?: unknown, headers?: Record<string, string>]
  | ((response: ServerResponse) => void);

/**
 * A local server with scripted responses, and a client of it.  @param answer gets each request and the number
 * of earlier ones
 */
export async function startFakeApi(
  context: TestContext,
  answer: (seen: Seen, before: number, url: string) => Reply | Promise<Reply>,
  options: Partial<TransportOptions> = {},
): Promise<{ client: Darkroom; seen: Seen[]; url: string }> {
  const seen: Seen[] = [];
  let url = '';
  const server = createServer((request, response) => {
    const answerTo = async (bytes: Buffer) => {
      const { method = '', url: path = '', headers } = request;
      const own = { method, path, headers, body: bytes.toString('latin1') };
      seen.push(own);
      const reply = await answer(own, seen.length - 1, url);
      if (typeof reply === 'function') return reply(response);
      const [status, body, more] = reply;
      response.writeHead(status, { 'content-type': 'application/json', ...more });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    };
    // A request that breaks off is ignored.
    void buffer(request)
      .catch(() => undefined)
      .then((bytes) => bytes && answerTo(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { client: new Darkroom({ baseUrl: `${url}/api/v2/`, apiKey: 'drk_test', ...options }), seen, url };
}
