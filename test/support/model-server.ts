import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Writes one answer. It may take its time, or never end; the server closes what is open when it stops. */
export type ModelReply = (response: ServerResponse, request: ModelRequest) => void;

export interface ModelRequest {
  /** Milliseconds since 1970. */
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  /** The JSON that was sent, undefined when it was none. */
  body: unknown;
}

/** A server on loopback that answers as an OpenAI-compatible endpoint does, well or badly. */
export interface ModelServer {
  /** What belongs into OPENAI_BASE_URL. */
  url: string;
  port: number;
  /** Every chat request so far, oldest first. */
  requests: ModelRequest[];
  /** The answers to the next requests, in this order, before `otherwise` holds again. */
  next(...replies: ModelReply[]): void;
  /** The answer to every request that has none of its own; `ok()` until set. */
  otherwise(reply: ModelReply): void;
  stop(): Promise<void>;
}

/** @param port 0 for any free one; a number to come back where another one was stopped */
export async function startModelServer(port = 0): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const script: ModelReply[] = [];
  let fallback = replies.ok();

  const server = createServer((message, response) => {
    void readJson(message).then((body) => {
      const request = { at: Date.now(), path: message.url ?? '', headers: message.headers, body };
      if (request.path !== '/v1/chat/completions') {
        sendJson(response, 404, { error: { message: `no such route: ${request.path}` } });
        return;
      }
      requests.push(request);
      (script.shift() ?? fallback)(response, request);
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    port: address.port,
    requests,
    next: (...replies) => void script.push(...replies),
    otherwise: (reply) => void (fallback = reply),
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Ready-made answers. */
export const replies = {
  /** A good answer, as one chat completion. */
  ok(answer: { description?: string; tags?: string[]; confidence?: number | null } = {}): ModelReply {
    const {
      description = 'A red bicycle leans on a wall.',
      tags = ['bicycle', 'red'],
      confidence = 0.9,
    } = answer;
    return replies.content(JSON.stringify({ description, tags, confidence }));
  },

  /** A chat completion with this text as the message of the model. */
  content(content: string | null, more: { refusal?: string; finishReason?: string } = {}): ModelReply {
    return replies.json(200, {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'test',
      choices: [
        {
          index: 0,
          finish_reason: more.finishReason ?? 'stop',
          message: { role: 'assistant', content, refusal: more.refusal ?? null },
        },
      ],
      usage: { prompt_tokens: 1_200, completion_tokens: 80, total_tokens: 1_280 },
    });
  },

  json(status: number, body: unknown, headers: Record<string, string> = {}): ModelReply {
    return (response) => sendJson(response, status, body, headers);
  },

  /** 429; `retryAfter` is sent as it is: seconds or an HTTP date. */
  rateLimited(retryAfter?: string): ModelReply {
    const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    return replies.json(
      429,
      { error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } },
      headers,
    );
  },

  /** Any refusal by status, with a message as endpoints send it. */
  error(status: number, message = 'The server had an error'): ModelReply {
    return replies.json(status, { error: { message } });
  },

  /** Takes the request and never says a word. */
  hang(): ModelReply {
    return () => undefined;
  },

  /** Begins a good answer and goes on with one space each 20 ms, for ever. */
  slowDrip(): ModelReply {
    return (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    };
  },

  /** 200 and JSON by its header, but cut off in the middle. */
  invalidJson(): ModelReply {
    return (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"choices": [{"message": {"content": "{\\"descr');
    };
  },

  /** A valid completion whose description alone is this long; 10 MB unless told. */
  huge(bytes = 10_000_000): ModelReply {
    return replies.ok({ description: 'x'.repeat(bytes) });
  },

  /** A completion whose JSON is not of the shape that was asked for. */
  wrongSchema(): ModelReply {
    return replies.content(JSON.stringify({ caption: 'A red bicycle', tags: 'bicycle, red' }));
  },

  /** Closes the connection without an answer. */
  hangUp(): ModelReply {
    return (response) => void response.socket?.destroy();
  },
};

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function readJson(message: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = await message.toArray();
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}
