import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';

/** The descriptor of the channel in a child process. */
export const CHANNEL = 3;
const LENGTH_BYTES = 4;
/** Of a message to the parent: more than the pages of a batch, or the sizes of an image. */
const MAX_MESSAGE_BYTES = 256 * 2 ** 20;

/**
 * Sends a message: its length in four bytes, then a structured clone.
 *
 * @throws Error for a value that cannot be sent
 */
export function sendMessage(channel: Socket, message: unknown): void {
  const body = serialize(message);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(body.length);
  channel.cork();
  channel.write(length);
  channel.write(body);
  channel.uncork();
}

/**
 * Reads messages, without trust in their sender: the receiving end of Node's own channel to child processes ends its process at
 * a malformed message, and waits for any length in memory.
 *
 * @param onMalformed called once, for a message that is too long or no structured clone; nothing is read after it
 */
export function readMessages(
  channel: Socket,
  onMessage: (message: unknown) => void,
  onMalformed: () => void,
  maxBytes = MAX_MESSAGE_BYTES,
): void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  const stop = (): void => {
    chunks = [];
    channel.off('data', onData);
    onMalformed();
  };
  function onData(chunk: Buffer): void {
    chunks.push(chunk);
    bytes += chunk.length;
    while (bytes >= LENGTH_BYTES) {
      if ((chunks[0]?.length ?? 0) < LENGTH_BYTES) chunks = [Buffer.concat(chunks)];
      const length = chunks[0]?.readUInt32LE() ?? 0;
      if (length > maxBytes) return stop();
      if (bytes < LENGTH_BYTES + length) return;
      const whole = Buffer.concat(chunks);
      const rest = whole.subarray(LENGTH_BYTES + length);
      chunks = rest.length > 0 ? [rest] : [];
      bytes = rest.length;
      let message: unknown;
      try {
        message = deserialize(whole.subarray(LENGTH_BYTES, LENGTH_BYTES + length));
      } catch {
        return stop();
      }
      onMessage(message);
    }
  }
  channel.on('data', onData);
}
