/**
 * The entry of every child process and thread, see host.ts: answers each message with the result of `handle`, exported
 * by the module named in the first argument. It may be killed at any time, and ends with its parent.
 */
import { Socket } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { CHANNEL, readMessages, sendMessage } from './channel.ts';

const loading = import(process.argv[2] ?? '') as Promise<{ handle: (message: unknown) => unknown }>;

async function answer(message: unknown, send: (reply: unknown) => void): Promise<void> {
  const { handle } = await loading;
  send(await handle(message));
}

if (parentPort) {
  const port = parentPort;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- of a thread, not of a window
  port.on('message', (message) => void answer(message, (reply) => port.postMessage(reply)));
} else {
  // Only the parent ends this process: a Ctrl-C to the whole process group must not interrupt draining work.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  const channel = new Socket({ fd: CHANNEL, readable: true, writable: true });
  // The parent has ended. process.exit would wait for a thread of native code to finish.
  const end = (): void => void process.kill(process.pid, 'SIGKILL');
  channel.on('error', end).on('close', end);
  readMessages(
    channel,
    (message) => void answer(message, (reply) => sendMessage(channel, reply)),
    end,
    Infinity,
  );
}
await loading;
