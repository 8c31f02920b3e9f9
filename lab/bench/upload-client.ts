import { readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { Agent, request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Stack } from '../../dev/launcher/stack.ts';

export const MIB = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** In the format that browsers use. */
const BOUNDARY = '----WebKitFormBoundary7MA4YWxkTrZu0gW';
const FORM_HEAD = Buffer.from(
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="auto_describe"\r\n\r\nfalse\r\n` +
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="bench.jpg"\r\n` +
    'Content-Type: image/jpeg\r\n\r\n',
);
const FORM_TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);

/** A photograph padded with noise to a size. */
export function paddedPhotograph(size: number): Buffer {
  const bytes = randomBytes(size);
  readFileSync(new URL('../../dev/samples/rocket.jpg', import.meta.url)).copy(bytes);
  return bytes;
}

/** A stream of the bytes in chunks of 64 KiB, unthrottled or at a fixed rate. */
export function chunked(bytes: Buffer, bytesPerSecond = Infinity): Readable {
  const began = performance.now();
  let at = 0;
  return new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      const next = () => {
        this.push(at < bytes.length ? bytes.subarray(at, at + CHUNK_BYTES) : null);
        at += CHUNK_BYTES;
      };
      const early = (at / bytesPerSecond) * 1000 - (performance.now() - began);
      if (early > 0) setTimeout(next, early);
      else next();
    },
  });
}

/** Uploads files to the API of a stack. `close` drops its connections. */
export function createUploadClient(stack: Stack) {
  const { api_url: apiUrl, api_key: apiKey } = stack.runInfo;
  const agent = new Agent({ keepAlive: true });
  return {
    /** Uploads a file of that size and resolves once the API has accepted it. */
    async upload(file: Readable, size: number): Promise<void> {
      const answered = Promise.withResolvers<IncomingMessage>();
      const outgoing = request(`${apiUrl}/files/upload`, {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
          'content-length': FORM_HEAD.length + size + FORM_TAIL.length,
        },
      });
      outgoing.once('response', answered.resolve).once('error', answered.reject);
      outgoing.write(FORM_HEAD);
      file.pipe(outgoing, { end: false });
      file.once('end', () => outgoing.end(FORM_TAIL));
      const answer = await answered.promise;
      const body = await text(answer);
      if (answer.statusCode !== 201) throw new Error(`the API answered ${answer.statusCode}: ${body}`);
    },
    close: () => agent.destroy(),
  };
}
