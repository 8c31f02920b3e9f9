import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** An OpenAI-compatible endpoint on loopback whose model takes a fixed time. */
export interface ModelEndpoint {
  /** The value of OPENAI_BASE_URL. */
  url: string;
  close(): Promise<void>;
}

const ANSWER = JSON.stringify({
  choices: [
    {
      finish_reason: 'stop',
      message: { content: JSON.stringify({ description: 'An image.', tags: ['image'], confidence: 0.9 }) },
    },
  ],
  usage: { prompt_tokens: 1_000, completion_tokens: 100 },
});

export async function startModelEndpoint(milliseconds: number): Promise<ModelEndpoint> {
  const server = createServer((request, response) => {
    request.resume();
    void delay(milliseconds).then(() =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
