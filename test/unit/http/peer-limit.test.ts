import assert from 'node:assert/strict';
import { test } from 'node:test';
import { network } from '../../../api/http/peer-limit.ts';

test('an IPv4 address is limited individually, in any notation', () => {
  assert.equal(network('203.0.113.7'), '203.0.113.7');
  assert.equal(network('::ffff:203.0.113.7'), '203.0.113.7');
});

test('IPv6 addresses are limited by /64, the usual allocation of one customer', () => {
  assert.equal(network('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(network('2001:DB8:1:2::9'), '2001:db8:1:2::/64');
  assert.equal(network('2001:db8::9'), '2001:db8:0:0::/64');
  assert.equal(network('fe80::1%eth0'), 'fe80:0:0:0::/64');
  assert.equal(network('::1'), '0:0:0:0::/64');
});
