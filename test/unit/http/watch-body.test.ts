import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { after, test } from 'node:test';
import Koa from 'koa';
import { watchBody } from '../../../api/http/watch-body.ts';

const app = new Koa();
app.use(watchBody({ bytesPerSecond: 0, overSeconds: 1 }));
app.use((ctx) => {
  ctx.status = 413;
  ctx.body = 'too large';
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
after(() => server.close());

/** More than fits into the buffers of both sockets. */
const body = Buffer.alloc(16 * 2 ** 20);

for (const connection of ['close', 'keep-alive']) {
  test(`a client that sends its whole body before it reads gets the response, Connection: ${connection}`, async () => {
    const socket = connect(port, '127.0.0.1').pause();
    const failed = new Promise<Error>((resolve) => socket.once('error', resolve));
    const head = `POST / HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(head);
    const sent = new Promise((resolve) => socket.write(body, resolve));
    const ended = await Promise.race([sent.then(() => undefined), failed]);
    assert.equal(ended, undefined);
    const answered = once(socket, 'data') as Promise<[Buffer]>;
    socket.resume();
    const [chunk] = await answered;
    assert.match(chunk.toString(), /^HTTP\/1\.1 413 [^]*too large$/);
    socket.end();
    await once(socket, 'close');
  });
}
