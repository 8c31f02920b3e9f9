import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createAddressGuard } from '../../../adapters/outbound/address-guard.ts';
import { createWebhookSender } from '../../../adapters/webhook-sender/webhook-sender.ts';
import { MAX_SENDING } from '../../../domain/webhooks/delivery.ts';
import { ok, startWebhookReceiver, status, type WebhookReceiver } from '../../support/webhook-receiver.ts';

/** For receivers that never answer; all others may take their time on a busy machine. */
const TIMEOUT_MS = 400;
const secretOf = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`;
const secret = secretOf(32);
const { signal } = new AbortController();

let receiver: WebhookReceiver;
const guard = createAddressGuard(['127.0.0.1']);
const sender = createWebhookSender(guard);
before(async () => {
  receiver = await startWebhookReceiver();
});
after(async () => {
  sender.close();
  await receiver.stop();
});
afterEach(() => receiver.answer(ok));

const send = (url = receiver.url, secrets = [secret], from = sender) => {
  const body = JSON.stringify({ type: 'webhook.test', data: { text: 'ü' } });
  const message = { id: 'event-1', sentAt: new Date(), body };
  return from.send(url, { message, secrets }, signal);
};
const last = () => receiver.events.at(-1) ?? assert.fail('nothing was received');

test('a client of Standard Webhooks verifies a signed event, with secrets of 24 to 64 bytes', async () => {
  for (const bytes of [24, 25, 26, 32, 63, 64]) {
    const own = secretOf(bytes);
    assert.deepEqual(await send(receiver.url, [own]), { statusCode: 204 });
    assert.equal(receiver.verify(last(), own).type, 'webhook.test');
    assert.throws(() => receiver.verify(last(), secret));
    assert.throws(() => receiver.verify({ ...last(), body: `${last().body} ` }, own));
  }
  assert.equal(last().id, 'event-1');
});

test('while a rotated secret is valid, an event is signed with both secrets', async () => {
  const former = secretOf(32);
  await send(receiver.url, [secret, former]);
  assert.equal(last().signature.split(' ').length, 2);
  for (const one of [secret, former]) receiver.verify(last(), one);
});

test('a response other than 2xx is a failure and is recorded with its beginning and Retry-After', async () => {
  for (const code of [400, 404, 410, 429, 500, 503]) {
    receiver.answer(status(code, { 'retry-after': '7' }));
    const { error, ...rest } = await send();
    assert.deepEqual(rest, { statusCode: code, body: `it is ${code}`, retryAfterSeconds: 7 });
    assert.equal(error, `it answered ${code}`);
  }
});

test('a redirect is not followed', async () => {
  const { length } = receiver.events;
  receiver.answer(status(307, { location: receiver.url }));
  const { statusCode, error } = await send();
  assert.deepEqual([statusCode, error], [307, 'it answered 307, and redirects are not followed']);
  assert.equal(receiver.events.length, length + 1);
});

test('at most a kilobyte of an endless response is read', async () => {
  receiver.answer((response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
    };
    response.writeHead(200).on('drain', write);
    write();
  });
  const { statusCode, error, body } = await send();
  assert.deepEqual([statusCode, error, body?.length], [200, undefined, 1024]);
});

test('a receiver that hangs or sends its headers too slowly times out', async (t) => {
  const hurried = createWebhookSender(guard, { timeoutMs: TIMEOUT_MS });
  t.after(() => hurried.close());
  receiver.answer(() => undefined);
  const late = { error: `it did not answer within ${TIMEOUT_MS / 1000} seconds` };
  assert.deepEqual(await send(receiver.url, [secret], hurried), late);
  const dripping = createServer((socket) => {
    socket.on('error', () => undefined).write('HTTP/1.1 200 OK\r\nx-drip: ');
    const timer = setInterval(() => socket.write('x'), 20);
    socket.once('close', () => clearInterval(timer));
  });
  dripping.listen(0, '127.0.0.1');
  await once(dripping, 'listening');
  t.after(() => dripping.close());
  const url = `http://127.0.0.1:${(dripping.address() as AddressInfo).port}/`;
  assert.deepEqual(await send(url, [secret], hurried), late);
});

test('a slow body after a 2xx status does not change the success', async (t) => {
  const hurried = createWebhookSender(guard, { timeoutMs: 5 * TIMEOUT_MS });
  t.after(() => hurried.close());
  receiver.answer((response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.writeHead(200).once('close', () => clearInterval(timer));
  });
  const { statusCode, error, body } = await send(receiver.url, [secret], hurried);
  assert.deepEqual([statusCode, error], [200, undefined]);
  assert.match(body ?? '', /^x+$/);
});

test('a receiver that closes the connection, refuses it, or does not speak HTTP is a failure', async (t) => {
  receiver.answer((response) => void response.socket?.destroy());
  assert.match((await send()).error ?? '', /^it cannot be reached/);
  const babbling = createServer(
    (socket) =>
      void socket
        .on('error', () => undefined)
        .resume()
        .end('hello'),
  );
  babbling.listen(0, '127.0.0.1');
  await once(babbling, 'listening');
  const url = `http://127.0.0.1:${(babbling.address() as AddressInfo).port}/`;
  t.after(() => babbling.close());
  assert.deepEqual(await send(url), { error: 'it cannot be reached: its answer is not HTTP' });
  babbling.close();
  await once(babbling, 'close');
  assert.deepEqual(await send(url), { error: 'it cannot be reached: it refuses connections' });
});

test('a receiver that switches protocols is a failure', async (t) => {
  const switching = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      ),
  );
  switching.listen(0, '127.0.0.1');
  await once(switching, 'listening');
  t.after(() => switching.close());
  const url = `http://127.0.0.1:${(switching.address() as AddressInfo).port}/`;
  assert.deepEqual(await send(url), { error: 'it cannot be reached' });
});

test('nothing is sent to an address refused by the guard', async () => {
  const strict = createWebhookSender(createAddressGuard([]));
  const { length } = receiver.events;
  const message = { id: 'event-2', sentAt: new Date(), body: '{}' };
  for (const url of [receiver.url, receiver.url.replace('127.0.0.1', 'localhost')]) {
    const { error } = await strict.send(url, { message, secrets: [secret] }, signal);
    assert.equal(error, 'it has no public address, or is reached without https');
  }
  assert.equal(receiver.events.length, length);
  strict.close();
});

test('an idle connection that the receiver closes during a request costs no attempt', async (t) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      // The second request on the connection.
      socket.once('data', () => socket.resetAndDestroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (let round = 1; round <= 3; round += 1) {
    assert.deepEqual(await send(url), { statusCode: 204 });
    assert.equal(connections, round);
  }
});

test('the requests that are sent to a receiver at once reuse the connections of those before', async (t) => {
  const held: ServerResponse[] = [];
  let connections = 0;
  // Answers once all have come, so that each needs a connection.
  const server = createHttpServer((_request, response) => {
    if (held.push(response) === MAX_SENDING.aSubscription) for (const one of held.splice(0)) one.end();
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (let burst = 1; burst <= 3; burst++) {
    const sends = Array.from({ length: MAX_SENDING.aSubscription }, () => send(url));
    for (const { statusCode } of await Promise.all(sends)) assert.equal(statusCode, 200);
    assert.equal(connections, MAX_SENDING.aSubscription);
    await setImmediate();
  }
});

test('a cancelled attempt ends with the reason', async () => {
  receiver.answer(() => undefined);
  const cancelled = new AbortController();
  const message = { id: 'event-3', sentAt: new Date(), body: '{}' };
  const sent = sender.send(receiver.url, { message, secrets: [secret] }, cancelled.signal);
  const reason = new Error('cancelled');
  cancelled.abort(reason);
  await assert.rejects(sent, reason);
});
