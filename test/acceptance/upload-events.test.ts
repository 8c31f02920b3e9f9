import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, sharedRun, type Json } from '../support/api.ts';

const run = sharedRun();
const client = createClient(run);
const event = { event_type: 'upload_failed', message: 'the connection broke' };

const send = (body: unknown, headers: Record<string, string> = {}) =>
  client.request('POST', '/files/log-upload-event', {
    body: JSON.stringify(body),
    headers: { Authorization: '', 'Content-Type': 'application/json', ...headers },
  });

test('events are accepted with or without a key', async () => {
  const full = {
    ...event,
    data: { bytes: 7, nested: { why: 'timeout' } },
    timestamp: '2026-01-01T00:00:00Z',
    session_id: 's-1',
    file_index: 10_000,
    file_name: 'a.png',
  };
  for (const body of [event, full, { ...event, from_a_newer_client: true }]) {
    const answer = await send(body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.body.status, 'logged');
    assert.ok(Date.parse(answer.body.timestamp) > 0);
  }
  assert.equal((await send(event, { Authorization: 'Bearer of nothing' })).status, 200);
});

test('fields over their limits are rejected by name', async () => {
  const fits: Json[] = [
    { event_type: 'e'.repeat(100) },
    { message: 'm'.repeat(2000) },
    { data: { x: 'd'.repeat(10 * 1024 - 8) } },
    { session_id: 's'.repeat(100) },
    { file_name: 'f'.repeat(500) },
  ];
  for (const fields of fits) assert.equal((await send({ ...event, ...fields })).status, 200);
  const wrong: [string, Json][] = [
    ['event_type', 'e'.repeat(101)],
    ['event_type', undefined],
    ['message', 'm'.repeat(2001)],
    ['message', undefined],
    ['data', { x: 'd'.repeat(10 * 1024 - 7) }],
    ['data', [1]],
    ['session_id', 's'.repeat(101)],
    ['file_name', 'f'.repeat(501)],
    ['file_index', 10_001],
    ['file_index', -1],
    ['file_index', 1.5],
  ];
  for (const [field, value] of wrong) {
    const { status, body } = await send({ ...event, [field]: value });
    assert.equal(status, 422, field);
    assert.match(body.errors[0].pointer, new RegExp(`^/body/${field}`));
  }
  assert.equal((await send({ ...event, more: 'x'.repeat(40 * 1024) })).status, 413);
});

test('events are rate-limited per address, regardless of forwarding headers', async () => {
  let accepted = 0;
  for (let tries = 0; tries < 100; tries += 1) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => send(event, { 'X-Forwarded-For': `203.0.113.${index}` })),
    );
    accepted += answers.filter(({ status }) => status === 200).length;
    const refused = answers.find(({ status }) => status !== 200);
    if (!refused) continue;
    assert.deepEqual([refused.status, refused.body.code], [429, 'RATE_LIMITED']);
    const wait = Number(refused.headers.get('retry-after'));
    assert.ok(wait >= 1 && wait <= 60, String(wait));
    assert.ok(accepted <= 2 * 600, String(accepted));
    return;
  }
  assert.fail(`${accepted} events were accepted without a refusal`);
});
