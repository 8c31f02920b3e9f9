import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { startForwardProxy, type ProxyLimits } from '../../../adapters/browser/forward-proxy.ts';
import { createAddressGuard } from '../../../adapters/outbound/address-guard.ts';
import { resolveName } from '../../../adapters/outbound/guarded-agent.ts';
import { pages, startWebSite } from '../../support/web-site.ts';

const site = await startWebSite('127.0.0.1');
const internal = await startWebSite('127.0.0.2');
const strange = createServer((socket) => socket.end('HTTP/1.1 099 Strange\r\n\r\n')).listen(0, '127.0.0.1');
await once(strange, 'listening');
const strangePort = (strange.address() as AddressInfo).port;
after(async () => {
  strange.close();
  await Promise.all([site.stop(), internal.stop()]);
});
const guard = createAddressGuard(['127.0.0.1'], { plainPublic: true });
const LIMITS: ProxyLimits = { maxBytes: 1_000_000, maxRequests: 10, maxConnections: 10 };

site.serve('/', pages.of(Buffer.from('hello')));
site.serve('/big', pages.endless(Buffer.from('x')));

/** The reply of a proxy to a message; empty if the proxy closes the connection without one. */
async function send(message: string, limits: Partial<ProxyLimits> = {}, count = 1): Promise<string> {
  const proxy = await startForwardProxy(guard, { ...LIMITS, ...limits }, resolveName);
  try {
    let answer = '';
    for (let sent = 0; sent < count; sent += 1) {
      const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(message);
      answer = await text(socket).catch(() => '');
    }
    return answer;
  } finally {
    await proxy.close();
  }
}

const get = (url: string) => `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
/** A CONNECT request, followed at once by a request through the tunnel. */
const through = (target: string, path = '/') => `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n${get(path)}`;

test('requests and tunnels reach addresses that the guard allows', async () => {
  assert.match(await send(get(site.url('/'))), /^HTTP\/1\.1 200 OK\r\n[^]*hello/);
  assert.match(
    await send(through(`127.0.0.1:${site.port}`)),
    /^HTTP\/1\.1 200 Connection Established\r\n\r\nHTTP\/1\.1 200 OK[^]*hello/,
  );
});

for (const [what, message] of Object.entries({
  'a refused address': get(internal.url('/')),
  'a tunnel to a refused address': through(`127.0.0.2:${internal.port}`),
  'a tunnel to another spelling of a refused address': through(`127.2:${internal.port}`),
  'a tunnel without a port': through('nothing'),
  'a tunnel to an invalid port': through('127.0.0.1:99999'),
  'a site with an invalid status code': get(`http://127.0.0.1:${strangePort}/`),
  'another scheme': get('file:///etc/passwd'),
  'a request for a path without a host': get('/'),
  'an unreachable site': get('http://127.0.0.1:1/'),
}))
  test(`${what} gets no reply`, async () => assert.equal(await send(message), ''));

test('no connection was made to a refused address', () => assert.equal(internal.connections(), 0));

for (const [what, message] of [
  ['requests', get(site.url('/big'))],
  ['tunnels', through(`127.0.0.1:${site.port}`, '/big')],
] as const)
  test(`${what} are limited in bytes`, async () => {
    const { length } = await send(message);
    assert.ok(length > 100_000 && length < 3_000_000, `${length} bytes`);
  });

test('the number of requests is limited', async () => {
  assert.match(await send(get(site.url('/')), { maxRequests: 2 }, 2), /hello/);
  assert.equal(await send(get(site.url('/')), { maxRequests: 2 }, 3), '');
});

test('the number of concurrent connections is limited', async () => {
  const proxy = await startForwardProxy(guard, { ...LIMITS, maxConnections: 1 }, resolveName);
  const open = async () => {
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const first = await open();
  const second = await open();
  assert.equal(await text(second).catch(() => ''), '');
  first.write(get(site.url('/')));
  assert.match(await text(first), /hello/);
  await proxy.close();
});

test('a response through a tunnel arrives completely', async () => {
  const bytes = 900_000;
  site.serve('/long', pages.of(Buffer.alloc(bytes, 'x'), { 'content-length': String(bytes) }));
  const answer = await send(through(`127.0.0.1:${site.port}`, '/long'));
  assert.equal(answer.length - answer.indexOf('xxx'), bytes);
});
