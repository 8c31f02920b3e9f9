import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressGuard } from '../../../adapters/outbound/address-guard.ts';
import { checkWebhookUrl } from '../../../services/webhooks/check-url.ts';

const publicOnly = createAddressGuard([]);
const inside = createAddressGuard(['10.0.0.0/8']);

test('a webhook is refused at creation if no delivery could reach it', () => {
  for (const [guard, url, refusal] of [
    [publicOnly, 'https://hooks.example.com/a', undefined],
    [publicOnly, 'http://hooks.example.com/a', /must be an https:/],
    [publicOnly, 'http://localhost:8080/', /is not a public address/],
    [publicOnly, 'https://localhost/', /is not a public address/],
    [publicOnly, 'https://LOCALHOST.:8443/', /is not a public address/],
    [publicOnly, 'https://hooks.localhost/', /is not a public address/],
    [publicOnly, 'https://localhost.example.com/', undefined],
    [publicOnly, 'https://168.63.129.16/', /is not a public address/],
    [publicOnly, 'https://[::ffff:168.63.129.16]/', /is not a public address/],
    [createAddressGuard(['127.0.0.0/8']), 'http://localhost:8080/', undefined],
    [publicOnly, 'https://1.1.1.1/', undefined],
    [publicOnly, 'http://1.1.1.1/', /needs https/],
    [publicOnly, 'https://10.0.0.1/', /is not a public address/],
    [publicOnly, 'https://[::1]/', /is not a public address/],
    // The name may resolve to an internal address, which is checked at delivery.
    [inside, 'http://hooks.internal/', undefined],
    [inside, 'http://10.1.2.3/', undefined],
    [inside, 'http://[::1]/', /is not a public address/],
  ] as const) {
    const check = () => checkWebhookUrl(guard, url, '/body/url');
    if (refusal === undefined) check();
    else assert.throws(check, (error: Error) => refusal.test(JSON.stringify(error) + error.message), url);
  }
});
