import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { verifyWebhook } from '../../../sdk/src/index.ts';

const now = Date.parse('2026-11-23T04:00:00Z');
const timestamp = String(now / 1000);
const body = '{"type":"file.completed","data":{"title":"Café"}}';
const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;
const secret = newSecret();

function sign(by: string, { id = 'msg_1', at = timestamp, text = body } = {}): string {
  const key = Buffer.from(by.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${at}.${text}`).digest('base64')}`;
}
const headers = (signature: string, at = timestamp) => ({
  'webhook-id': 'msg_1',
  'webhook-timestamp': at,
  'webhook-signature': signature,
});

test('a webhook is verified as text or bytes, with headers of fetch or Node.js', async () => {
  const event = await verifyWebhook<{ type: string }>(body, headers(sign(secret)), secret, { now });
  assert.equal(event.type, 'file.completed');
  await verifyWebhook(new TextEncoder().encode(body), new Headers(headers(sign(secret))), secret, { now });
  await verifyWebhook(body, { 'Webhook-Id': ['msg_1'], ...headers(sign(secret)) }, secret, { now });
});

test('the example in the specification is verified', async () => {
  const example = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const key = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  await verifyWebhook('{"test": 2432232314}', example, key, { now: 1_614_265_330_000 });
});

test('during a rotation, the sender and the receiver may each have both secrets', async () => {
  const next = newSecret();
  await verifyWebhook(body, headers(sign(next)), [secret, next], { now });
  await verifyWebhook(body, headers(`v1a,other ${sign(next)} ${sign(secret)}`), secret, { now });
});

test('a webhook that is altered, unsigned, too old or from the future is refused', async () => {
  const old = String(now / 1000 - 301);
  const early = String(now / 1000 + 301);
  const refused: [string, Record<string, string>, string?][] = [
    ['no signature matches', headers(sign(newSecret()))],
    ['no signature matches', headers(sign(secret)), `${body} `],
    ['no signature matches', { ...headers(sign(secret)), 'webhook-id': 'msg_2' }],
    ['no signature matches', headers('v1,%%%')],
    ['no signature matches', headers(sign(secret).replace('v1,', 'v2,'))],
    ['too old', headers(sign(secret, { at: old }), old)],
    ['too old', headers(sign(secret, { at: early }), early)],
    ['not a number', headers(sign(secret), 'yesterday')],
    ['missing', { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp }],
  ];
  for (const [why, given, text = body] of refused) {
    await assert.rejects(verifyWebhook(text, given, secret, { now }), { code: 'WEBHOOK_UNVERIFIED' }, why);
  }
});
