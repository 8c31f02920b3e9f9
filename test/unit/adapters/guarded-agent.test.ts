import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { AddressRefused, createAddressGuard } from '../../../adapters/outbound/address-guard.ts';
import { outboundConfig } from '../../../adapters/outbound/config.ts';
import { createGuardedAgent } from '../../../adapters/outbound/guarded-agent.ts';

const NOT_PUBLIC = [
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fe80::1',
  'fc00::1',
  'fd12:3456::1',
  'ff02::1',
  '2001:db8::1',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '::127.0.0.1',
  '::ffff:0:7f00:1',
  '4000::1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001::1',
  '',
  'localhost',
  '127.1',
  '0x7f.0.0.1',
  '2130706433',
];
const PUBLIC = ['1.1.1.1', '52.95.110.1', '2606:4700:4700::1111', '::ffff:1.1.1.1'];

let connections = 0;
const server = createServer((_request, response) => response.end('here')).on('connection', () => {
  connections += 1;
});
let port = 0;

before(async () => {
  // Listens on all addresses of both families.
  server.listen(0);
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
after(() => server.close());

const get = (host: string, agent: http.Agent) =>
  new Promise<string>((resolve, reject) => {
    const request = http.get(`http://${host}:${port}/`, { agent }, (response) => {
      response.setEncoding('utf8').on('data', resolve);
    });
    request.on('error', reject);
  });

test('only public addresses are allowed, and only with TLS', () => {
  const guard = createAddressGuard([]);
  for (const address of NOT_PUBLIC) {
    for (const encrypted of [true, false])
      assert.ok(guard.refuse(address, encrypted) instanceof AddressRefused, address);
  }
  for (const address of PUBLIC) {
    assert.equal(guard.refuse(address, true), undefined, address);
    assert.ok(guard.refuse(address, false), address);
  }
});

test('networks allowed by the operator are reachable, in every notation', () => {
  const guard = createAddressGuard(['10.1.0.0/16', '::1', '192.168.7.7']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '::1', '192.168.7.7'])
    assert.equal(guard.refuse(address, false), undefined, address);
  for (const address of ['10.2.0.1', '127.0.0.1', '192.168.7.8']) assert.ok(guard.refuse(address, false));
  assert.equal(
    outboundConfig.safeParse({ OUTBOUND_ALLOWED_NETWORKS: '10.0.0.0/8, nonsense' }).success,
    false,
  );
});

test('no packet is sent to a refused IP literal or host name', async () => {
  const agent = createGuardedAgent(false, createAddressGuard([]), { keepAlive: true });
  // The URL parser turns the last three into the first.
  const hosts = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '2130706433',
    '0x7f.1',
    '127.1',
  ];
  for (const host of hosts) await assert.rejects(get(host, agent), AddressRefused, host);
  assert.equal(connections, 0);
});

test('a refusal rejects requests that wait for a socket, and the agent stays usable', async () => {
  const agent = createGuardedAgent(false, createAddressGuard([]), { keepAlive: true, maxSockets: 1 });
  const asked = await Promise.allSettled(Array.from({ length: 5 }, () => get('localhost', agent)));
  for (const one of asked) assert.ok(one.status === 'rejected' && one.reason instanceof AddressRefused);
  assert.equal(connections, 0);
});

test('an allowed IP literal and host name are reached', async () => {
  const agent = createGuardedAgent(false, createAddressGuard(['127.0.0.1', '::1']), {});
  assert.equal(await get('127.0.0.1', agent), 'here');
  assert.equal(await get('localhost', agent), 'here');
});
