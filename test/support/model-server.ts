import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Writes one response. It may be slow or never end; the server closes open connections when it stops. */
export type ModelReply = (response: ServerResponse, request: ModelRequest) => void;

export interface ModelRequest {
  /** Milliseconds since 1970. */
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  /** The request's JSON, undefined if it is invalid. */
  body: unknown;
}

/** An OpenAI-compatible endpoint on loopback with scripted responses. */
export interface ModelServer {
  /** The value of OPENAI_BASE_URL. */
  url: string;
  port: number;
  /** Every chat request so far, oldest first. */
  requests: ModelRequest[];
  /** Queues responses to the next requests; afterwards `otherwise` applies again. */
  next(...replies: ModelReply[]): void;
  /** Sets the response to every other request; `ok()` by default. */
  otherwise(reply: ModelReply): void;
  stop(): Promise<void>;
}

/** @param port 0 for any free one; the port of a stopped server to replace it */
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

/** Predefined responses. */
export const replies = {
  /** A valid response, as one chat completion. */
  ok(answer: { description?: string; tags?: string[]; confidence?: number | null } = {}): ModelReply {
    const {
      description = 'A red bicycle leans on a wall.',
      tags = ['bicycle', 'red'],
      confidence = 0.9,
    } = answer;
    return replies.content(JSON.stringify({ description, tags, confidence }));
  },

  /** A chat completion with this text as the model's message. */
  content(
    content: string | null,
    more: { refusal?: string; finishReason?: string; tokens?: number } = {},
  ): ModelReply {
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
      usage: {
        prompt_tokens: more.tokens ?? 1_200,
        completion_tokens: more.tokens ?? 80,
        total_tokens: 1_280,
        prompt_tokens_details: { cached_tokens: 1_000 },
        completion_tokens_details: { reasoning_tokens: 30 },
      },
    });
  },

  json(status: number, body: unknown, headers: Record<string, string> = {}): ModelReply {
    return (response) => sendJson(response, status, body, headers);
  },

  /** 429; `retryAfter` is sent unchanged: seconds or an HTTP date. */
  rateLimited(retryAfter?: string): ModelReply {
    const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    return replies.json(
      429,
      { error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } },
      headers,
    );
  },

  /** An error response with a typical message. */
  error(status: number, message = 'The server had an error'): ModelReply {
    return replies.json(status, { error: { message } });
  },

  /** Accepts the request and never responds. */
  hang(): ModelReply {
    return () => undefined;
  },

  /** Starts a valid response and continues with one space every 20 ms without end. */
  slowDrip(): ModelReply {
    return (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{');
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    };
  },

  /** 200 with a JSON content type, but truncated. */
  invalidJson(): ModelReply {
    return (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"choices": [{"message": {"content": "{\\"descr');
    };
  },

  /** Closes the connection in the middle of a response. */
  cutStream(): ModelReply {
    return (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '4000' });
      response.write('{"choices": [{"message": {"content": "', () => response.socket?.destroy());
    };
  },

  /** A valid completion with a description of this length, 10 MB by default. */
  huge(bytes = 10_000_000): ModelReply {
    return replies.ok({ description: 'x'.repeat(bytes) });
  },

  /** A completion whose JSON does not match the schema. */
  wrongSchema(): ModelReply {
    return replies.content(JSON.stringify({ caption: 'A red bicycle', tags: 'bicycle, red' }));
  },

  /** Closes the connection without a response. */
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
