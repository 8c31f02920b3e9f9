import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, test } from 'node:test';
import { startConnectionProxy } from '../../../lab/chaos/connection-proxy.ts';

const server = createServer((socket) => void socket.on('error', () => undefined).pipe(socket));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const proxy = await startConnectionProxy({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
after(() => proxy.close());

function open() {
  const socket = connect(proxy.port, '127.0.0.1');
  after(() => socket.destroy());
  return socket;
}

async function echoed(text: string): Promise<string> {
  const socket = open();
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.end(text);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

test('an interrupted proxy breaks open connections and refuses new ones until it is restored', async () => {
  const long = 'x'.repeat(1_000_000);
  assert.equal(await echoed(long), long);

  const socket = open();
  socket.write('a');
  await once(socket, 'data');
  const broken = once(socket, 'error');
  proxy.interrupt();
  assert.equal(((await broken)[0] as NodeJS.ErrnoException).code, 'ECONNRESET');
  await assert.rejects(echoed('b'), { code: 'ECONNRESET' });

  proxy.restore();
  assert.equal(await echoed('c'), 'c');
});

test('a server that cannot be reached breaks the connection', async () => {
  const nowhere = await startConnectionProxy({ host: '127.0.0.1', port: 9 });
  after(() => nowhere.close());
  const socket = connect(nowhere.port, '127.0.0.1');
  await once(socket, 'close');
});
