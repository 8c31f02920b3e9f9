import { once } from 'node:events';
import { WebSocket } from 'ws';
import { eventually, type Json } from './api.ts';
import { recordMessage } from './observed-answers.ts';

/** A WebSocket client of the live channels that relies only on the contract. */
export interface LiveClient {
  socket: WebSocket;
  /** All frames received so far. */
  frames: Json[];
  say(message: object | string): void;
  /** Resolves to the next matching frame and skips the frames before it. */
  next(fits: (frame: Json) => boolean, seconds?: number): Promise<Json>;
  closed: Promise<{ code: number; reason: string }>;
}

/** @throws the server's response if it is not 101 */
export async function connectLive(apiUrl: string, headers: Record<string, string>): Promise<LiveClient> {
  const socket = new WebSocket(`${apiUrl.replace(/^http/, 'ws')}/ws`, { headers });
  const frames: Json[] = [];
  let read = 0;
  socket.on('message', (data) => {
    const frame: Json = JSON.parse((data as Buffer).toString());
    recordMessage('LiveMessage', frame);
    frames.push(frame);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  );
  await once(socket, 'open');
  socket.on('error', () => undefined);
  return {
    socket,
    frames,
    closed,
    say: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: (fits, seconds = 30) =>
      eventually(async () => {
        const at = frames.findIndex((frame, index) => index >= read && fits(frame));
        if (at < 0) throw new Error(`not among ${JSON.stringify(frames.slice(read)).slice(0, 500)}`);
        read = at + 1;
        return frames[at];
      }, seconds),
  };
}
