import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { ResourceNotFoundError } from '@modelcontextprotocol/client';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { connectAgent, mcpUrl } from '../../support/agent.ts';
import { eventually, sharedRun, type Json } from '../../support/api.ts';
import { manual } from '../../support/documents.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { startWebSite } from '../../support/web-site.ts';
import { createCallers } from '../access/callers.ts';

/** Access, usage records and responses to hostile clients. */
const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));
const callers = createCallers(orm);

const HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  Authorization: `Bearer ${run.api_key}`,
};
const LISTED = { subtype: 'listFiles', endpoint: '/api/v2/files' };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

async function send(body: unknown, headers: Record<string, string> = {}, method = 'POST') {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(mcpUrl(run), {
    method,
    headers: { ...HEADERS, ...headers },
    ...(method === 'POST' && { body: text }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function keyOf(given: Parameters<typeof callers.key>[1]): Promise<string> {
  const caller = await callers.key('agent', given);
  return (await caller.headers())['X-API-Key'] ?? '';
}

test('a request without a valid key gets 401', async () => {
  for (const headers of [{ Authorization: '' }, { Authorization: `Bearer drk_${randomUUID()}` }]) {
    const { status, headers: got, text } = await send(LIST, headers);
    assert.deepEqual(
      [status, got.get('WWW-Authenticate'), JSON.parse(text).code],
      [401, 'Bearer', 'UNAUTHENTICATED'],
    );
  }
});

test('a page of another site is refused, even with a valid key', async () => {
  const foreign = await send(LIST, { Origin: 'https://evil.example' });
  assert.deepEqual([foreign.status, JSON.parse(foreign.text).code], [403, 'FOREIGN_ORIGIN']);
  assert.equal((await send(LIST, { Origin: mcpUrl(run).origin })).status, 200);
});

test('a logged-in user may call tools, only from a page of the service', async () => {
  const session = await callers.session('person');
  const list = { name: 'list_files', arguments: { limit: 1 } };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: list };
  const sent = { Authorization: '', ...(await session.headers()) };
  const own = await send(call, { ...sent, Origin: mcpUrl(run).origin });
  assert.deepEqual([own.status, /isError/.test(own.text)], [200, false], own.text);
  assert.equal((await send(call, { ...sent, Origin: 'https://evil.example' })).status, 403);
});

test('a key can do what its scopes, role and tier allow, and nothing in other tenants', async () => {
  const reader = await connectAgent(run, await keyOf({ scopes: ['files.read'] }));
  assert.deepEqual((await reader.call('list_files')).items, []);
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const refused = await reader.refused('extract_data', { file_id: randomUUID(), schema });
  assert.deepEqual([refused.code, /extract\.run/.test(refused.detail)], ['FORBIDDEN', true]);
  const viewer = await connectAgent(run, await keyOf({ role: 'viewer' }));
  assert.equal((await viewer.refused('add_image', { url: 'https://example.com/a.png' })).code, 'FORBIDDEN');
  const free = await connectAgent(run, await keyOf({ tier: 'free' }));
  assert.equal((await free.refused('list_files')).code, 'INSUFFICIENT_TIER');

  const { client } = await createOwnTenant(orm, run);
  const id = await client.ingest({ bytes: manual, filename: 'manual.md' });
  await client.settled(id);
  assert.equal((await reader.refused('get_file', { file_id: id })).code, 'NOT_FOUND');
  assert.equal((await reader.refused('read_page', { file_id: id, page_number: 1 })).code, 'NOT_FOUND');
  assert.deepEqual((await reader.call('search_documents', { query: 'warranty' })).items, []);
  assert.deepEqual(
    (await reader.call('search_documents', { query: 'warranty', document_ids: [id] })).items,
    [],
  );
  await assert.rejects(
    reader.client.readResource({ uri: `darkroom://files/${id}/pages/1` }),
    ResourceNotFoundError,
  );
});

test('a call is counted, recorded and audited once, under its operation', async () => {
  const { tenantId, apiKey } = await createOwnTenant(orm, run);
  const agent = await connectAgent(run, apiKey);
  await agent.client.listTools();
  await orm.em.fork().nativeUpdate(Tenant, { id: tenantId }, { maxRequestsPerMinute: 5 });
  for (let count = 0; count < 4; count++) await agent.call('list_files', { limit: 1 });
  // Every message except a call is counted as its own request.
  assert.equal((await send(LIST, { Authorization: `Bearer ${apiKey}` })).status, 200);
  const refused = await agent.refused('list_files');
  assert.equal(refused.code, 'RATE_LIMITED');
  assert.ok(refused.retry_after_seconds >= 1 && refused.retry_after_seconds <= 60);
  const limited = await send(LIST, { Authorization: `Bearer ${apiKey}` });
  assert.deepEqual([limited.status, JSON.parse(limited.text).code], [429, 'RATE_LIMITED']);

  await eventually(async () => {
    const events = await orm.em.fork().execute<Json[]>(
      `select subtype, endpoint, status from usage_events
         where tenant_id = ? and subtype = 'listFiles' order by occurred_at`,
      [tenantId],
    );
    assert.deepEqual(events, [
      ...Array.from({ length: 4 }, () => ({ ...LISTED, status: 200 })),
      { ...LISTED, status: 429 },
    ]);
  });

  const denied = await callers.key('agent', { scopes: ['files.write'] });
  const key = (await denied.headers())['X-API-Key'] ?? '';
  await (await connectAgent(run, key)).refused('list_files');
  await eventually(async () => {
    const audited = await orm.em
      .fork()
      .execute<Json[]>(`select metadata, ip_address from audit_events where tenant_id = ?`, [
        denied.tenantId,
      ]);
    assert.deepEqual(
      audited.map(({ metadata, ip_address: address }) => [metadata.operation, address]),
      [['listFiles', '127.0.0.1']],
    );
  });
});

test('a request that reaches no operation is counted as well', async () => {
  const { tenantId, apiKey } = await createOwnTenant(orm, run);
  const call = (name: string, given: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  });
  const unknown = call('drop_tables', {});
  const sent: [body: unknown, headers?: Record<string, string>][] = [
    [LIST],
    [unknown],
    [[unknown, unknown]],
    [unknown, { 'MCP-Protocol-Version': '1999-01-01' }],
    [{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: 7 }],
    [call('read_page', {})],
    [call('get_file', { file_id: 'sessions' })],
    [call('list_files', { search: 'x'.repeat(20_000) })],
    [call('extract_data', { idempotency_key: '' })],
    [{ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'file:///etc/passwd' } }],
    ['{"jsonrpc": '],
  ];
  await orm.em.fork().nativeUpdate(Tenant, { id: tenantId }, { maxRequestsPerMinute: sent.length });
  const Authorization = `Bearer ${apiKey}`;
  for (const [body, headers] of sent) {
    const { status, text } = await send(body, { Authorization, ...headers });
    assert.ok(status === 200 || status === 400, `${JSON.stringify(body)}: ${status} ${text}`);
  }
  for (const [body, headers] of sent) {
    const { status, text } = await send(body, { Authorization, ...headers });
    assert.deepEqual([status, JSON.parse(text).code], [429, 'RATE_LIMITED'], JSON.stringify(body));
  }
});

test('a cancelled request stops its operation, which is logged under the id of the request', async () => {
  const site = await startWebSite('127.0.0.1');
  try {
    const fetched = new Promise<void>((resolve) => site.serve('/slow.png', () => resolve()));
    const requestId = randomUUID();
    const { client } = await connectAgent(run, run.api_key, { headers: { 'X-Request-Id': requestId } });
    const cancel = new AbortController();
    const call = client.callTool(
      { name: 'add_image', arguments: { url: site.url('/slow.png'), timeout: 120 } },
      { signal: cancel.signal },
    );
    await fetched;
    cancel.abort();
    await assert.rejects(call);
    await eventually(async () => {
      const log = readFileSync(join(dirname(process.env['DARKROOM_RUN'] ?? ''), 'logs', 'api.log'), 'utf8');
      const lines = log
        .split('\n')
        .filter((line) => line.includes(requestId) && line.includes('/images/analyze'));
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).status),
        [499],
      );
    });
  } finally {
    await site.stop();
  }
});

test('an invalid message gets an error of the protocol', async () => {
  const call = (params: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const cases: [
    name: string,
    body: unknown,
    status: number,
    answer: RegExp,
    headers?: Record<string, string>,
  ][] = [
    ['broken JSON', '{"jsonrpc": ', 400, /BAD_REQUEST/],
    ['no body', '', 400, /-32600/],
    ['another type', LIST, 400, /BAD_REQUEST/, { 'Content-Type': 'text/plain' }],
    ['a huge body', `"${'x'.repeat(300_000)}"`, 413, /FILE_TOO_LARGE/],
    ['deep nesting', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`, 400, /too deeply/],
    ['a scalar', '7', 400, /BAD_REQUEST/],
    ['an empty batch', [], 400, /-32\d\d\d/],
    ['a batch of 101', Array.from({ length: 101 }, () => LIST), 400, /at most|exceed/i],
    ['no method', { jsonrpc: '2.0', id: 1 }, 400, /-32\d\d\d/],
    ['another JSON-RPC', { ...LIST, jsonrpc: '1.0' }, 400, /-32\d\d\d/],
    ['an unknown method', { ...LIST, method: 'tools/drop' }, 200, /-32601/],
    ['prompts, which are unsupported', { ...LIST, method: 'prompts/list' }, 200, /-32601/],
    ['arguments that are not an object', call({ name: 'list_files', arguments: 7 }), 200, /-32602/],
    ['no tool', call({}), 200, /-32602/],
    ['an unknown tool', call({ name: '__proto__' }), 200, /-32602/],
    ['only HTML', LIST, 406, /application\/json/, { Accept: 'text/html' }],
    ['an unknown version', LIST, 400, /version/i, { 'MCP-Protocol-Version': '1999-01-01' }],
  ];
  for (const [name, body, status, answer, headers] of cases) {
    const got = await send(body, headers);
    assert.equal(got.status, status, `${name}: ${got.status} ${got.text}`);
    assert.match(got.text, answer, name);
  }
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const got = await send(undefined, {}, method);
    assert.deepEqual([got.status, got.headers.get('Allow')], [405, 'POST, OPTIONS'], method);
  }
});

test('a batch of a legacy client gets a response to each call', async () => {
  const batch = [1, 2].map((id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'list_files', arguments: { limit: 1 } },
  }));
  const { status, text } = await send(batch);
  assert.equal(status, 200);
  const answers = text.split('\n').filter((line) => line.startsWith('data: '));
  const ids = answers.map((line) => JSON.parse(line.slice(6)).id as number);
  assert.deepEqual(ids.toSorted(), [1, 2]);
});

test('path segments and header lines in arguments do not change the request', async () => {
  const agent = await connectAgent(run, run.api_key);
  const refused = await agent.refused('get_file', { file_id: '../tenant/members' });
  assert.equal(refused.code, 'NOT_FOUND');
  for (const id of ['', '.', 'sessions', 'deletions', 'quota-check'])
    assert.equal((await agent.refused('get_file', { file_id: id })).code, 'NOT_FOUND', id);
  const key = await agent.refused('extract_data', { idempotency_key: 'a\r\nAuthorization: Bearer x' });
  assert.equal(key.code, 'VALIDATION_FAILED');
});
