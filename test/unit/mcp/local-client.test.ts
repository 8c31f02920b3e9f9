import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import Koa from 'koa';
import { createLocalClient } from '../../../api/mcp/local-client.ts';

const REQUEST = { method: 'POST', path: '/here?a=1', headers: { 'x-a': 'b' }, clientAddress: '192.0.2.7' };

test('a request goes through the application with the address of the client', async () => {
  const app = new Koa();
  const send = createLocalClient(app);
  app.use(async (ctx) => {
    ctx.res.setTimeout(60_000, () => ctx.res.destroy());
    ctx.status = 202;
    ctx.body = [ctx.method, ctx.url, ctx.get('X-A'), ctx.req.socket.remoteAddress, await text(ctx.req)];
  });
  for (let count = 0; count < 3; count++) {
    const signal = new AbortController().signal;
    const response = await send({ ...REQUEST, body: '{"é":1}', signal });
    assert.equal(response.statusCode, 202);
    assert.deepEqual(JSON.parse(await text(response)), ['POST', '/here?a=1', 'b', '192.0.2.7', '{"é":1}']);
  }
});

test('a client that closes its request disconnects', async () => {
  const app = new Koa();
  const gone = new AbortController();
  const closed = Promise.withResolvers<void>();
  app.use(async (ctx) => {
    gone.abort();
    await once(ctx.res, 'close');
    closed.resolve();
  });
  const sent = createLocalClient(app)({ ...REQUEST, body: undefined, signal: gone.signal });
  await assert.rejects(sent, { name: 'AbortError' });
  await closed.promise;
});
