import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A passage as a model sees it. */
export interface ShownPassage {
  /** Its number, from 1. */
  passage: number;
  text: string;
}

/** Writes the answer to a question: JSON of the schema of answers, or any text. */
export type Respond = (question: string, passages: readonly ShownPassage[]) => unknown;

/** An OpenAI-compatible endpoint on loopback, which sees what a model would see. */
export interface Endpoint {
  url: string;
  close(): void;
}

export async function startEndpoint(respond: Respond): Promise<Endpoint> {
  const server = createServer((message, response) => {
    void message.toArray().then((chunks: Buffer[]) => {
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
        messages: { role: string; content: { text: string }[] }[];
      };
      const prompt = messages.find(({ role }) => role === 'user')?.content[0]?.text ?? '';
      const [, passages = '[]', question = '""'] = /\nPassages: (.*)\nQuestion: (.*)$/s.exec(prompt) ?? [];
      const reply = respond(JSON.parse(question) as string, JSON.parse(passages) as ShownPassage[]);
      complete(response, typeof reply === 'string' ? reply : JSON.stringify(reply));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function complete(response: ServerResponse, content: string): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const message = { role: 'assistant', content, refusal: null };
  const choices = [{ index: 0, finish_reason: 'stop', message }];
  response.end(JSON.stringify({ id: '1', object: 'chat.completion', created: 1, model: 'fake', choices }));
}
