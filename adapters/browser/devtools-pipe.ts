import { StringDecoder } from 'node:string_decoder';
import type { Readable, Writable } from 'node:stream';

/** A connection to a browser that speaks the DevTools protocol over a pipe. */
export interface DevTools {
  /** @throws DevToolsClosed; Error with the message of the browser */
  send(method: string, params?: object, sessionId?: string): Promise<Record<string, unknown>>;
  on(event: string, listener: (params: Record<string, unknown>) => void): void;
}

/** The connection to the browser is closed, usually because the browser exited. */
export class DevToolsClosed extends Error {
  override readonly name = 'DevToolsClosed';
}

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message?: string };
}

/** In characters; a screenshot takes less than a tenth. */
const MAX_MESSAGE = 16 * 2 ** 20;

/** Messages are JSON, each ended by a NUL (`--remote-debugging-pipe`). */
export function openDevTools(commands: Writable, answers: Readable): DevTools {
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  const listeners = new Map<string, (params: Record<string, unknown>) => void>();
  const decoder = new StringDecoder('utf8');
  let text = '';
  let count = 0;
  let gone: Error | undefined;

  function fail(error: Error): void {
    gone ??= error;
    for (const { reject } of waiting.values()) reject(gone);
    waiting.clear();
  }

  function receive({ id, method, params = {}, result = {}, error }: Message): void {
    if (method !== undefined) listeners.get(method)?.(params);
    if (id === undefined) return;
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) call?.reject(new Error(error.message ?? 'the browser refused a command'));
    else call?.resolve(result);
  }

  commands.on('error', () => fail(new DevToolsClosed('the browser closed its command pipe')));
  answers
    .on('data', (chunk: Buffer) => {
      if (gone) return;
      const parts = (text + decoder.write(chunk)).split('\0');
      text = parts.pop() ?? '';
      if (text.length > MAX_MESSAGE)
        return fail(new DevToolsClosed('the browser sent a message that is too long'));
      try {
        for (const part of parts) receive(JSON.parse(part) as Message);
      } catch (cause) {
        fail(new DevToolsClosed('the browser sent a message that is not JSON', { cause }));
      }
    })
    .on('error', () => fail(new DevToolsClosed('the pipe from the browser failed')))
    .on('close', () => fail(new DevToolsClosed('the browser exited')));

  return {
    async send(method, params = {}, sessionId) {
      if (gone) throw gone;
      const call = Promise.withResolvers<Record<string, unknown>>();
      const id = (count += 1);
      waiting.set(id, call);
      commands.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      return call.promise;
    },
    on: (event, listener) => void listeners.set(event, listener),
  };
}
