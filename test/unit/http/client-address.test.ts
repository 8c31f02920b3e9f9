import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { clientAddress, trustProxies } from '../../../api/http/client-address.ts';

function request(peer: string, forwarded?: string): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const made = new IncomingMessage(socket);
  if (forwarded !== undefined) made.headers['x-forwarded-for'] = forwarded;
  return made;
}
const cases: [
  what: string,
  proxies: string[],
  peer: string,
  forwarded: string | undefined,
  client: string,
][] = [
  ['no proxy is trusted by default', [], '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['the header of a trusted proxy is used', ['10.0.0.0/8'], '10.1.2.3', '198.51.100.1', '198.51.100.1'],
  [
    'an address prepended by a client is ignored',
    ['10.0.0.0/8'],
    '10.1.2.3',
    '1.1.1.1, 198.51.100.1',
    '198.51.100.1',
  ],
  [
    'several trusted proxies in a row are skipped',
    ['10.0.0.0/8'],
    '10.1.2.3',
    '198.51.100.1, 10.9.9.9',
    '198.51.100.1',
  ],
  [
    'the header of a peer that is not a proxy is ignored',
    ['10.0.0.0/8'],
    '203.0.113.9',
    '198.51.100.1',
    '203.0.113.9',
  ],
  ['an invalid address ends the search', ['10.0.0.0/8'], '10.1.2.3', 'unknown', '10.1.2.3'],
  [
    'an IPv4 address mapped to IPv6 is recognised',
    ['10.0.0.0/8'],
    '::ffff:10.1.2.3',
    '::ffff:198.51.100.1',
    '198.51.100.1',
  ],
  ['IPv6', ['fd00::/8'], 'fd00::1', '2001:db8::7', '2001:db8::7'],
];
for (const [what, proxies, peer, forwarded, client] of cases) {
  test(what, () => {
    assert.equal(clientAddress(request(peer, forwarded), trustProxies(proxies)), client);
  });
}

test('an invalid network is rejected', () => {
  for (const bad of ['proxy', '10.0.0.0/x', '10.0.0.0/99', '']) assert.throws(() => trustProxies([bad]));
});
