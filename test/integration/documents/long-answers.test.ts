import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { databaseConfig } from '../../../db/config.ts';
import { createOrm } from '../../../db/create-orm.ts';
import { readConfig } from '../../../domain/schemas/read-config.ts';
import { eventually, sharedRun, type Json } from '../../support/api.ts';
import { createOwnTenant } from '../../support/own-tenant.ts';
import { removeSeeded } from '../../support/seed-descriptions.ts';

const run = sharedRun();
const orm = createOrm(readConfig([databaseConfig], process.env));
after(() => orm.close(true));

const PAGES = 800;
/** More than the socket buffers between the service and its client hold. */
const MANY_CHUNKS = 13_000;

/** A document that was read, with chunks and pages of some 2.5 KB each, and a page that is longer than the others. */
async function seedDocument(tenantId: string, chunks: number): Promise<string> {
  const fileId = randomUUID();
  const em = orm.em.fork();
  await em.execute(
    `insert into files (id, tenant_id, media_type, content_type, format, filename, tags, content_category, size_bytes,
       sha256, object_key, options, generation, seq, components, primary_status, workflow_started_at, created_at, updated_at)
     values (?, ?, 'document', 'text/plain', 'txt', 'annals.txt', '{}', 'general', 1, md5('') || md5(''), 'none', '{}', 1, 1,
       '{"text_extraction": {"status": "completed"}, "digitization": {"status": "completed"},
         "description": {"status": "completed"}}', 'completed', now(), now(), now())`,
    [fileId, tenantId],
  );
  await em.execute(
    `insert into document_details (file_id, page_count, profile, stale_chunks) values (?, ?, '{}', '{}')`,
    [fileId, PAGES],
  );
  await em.execute(
    `insert into document_pages
       (file_id, page_number, status, needs_ocr, source, elements, text, content_hash, attempts, error, updated_at)
     select ?, page, 'completed', false, 'document',
       json_build_array(json_build_object('type', 'paragraph', 'content', text, 'metadata', '{}'::json,
         'box', '{"x": 0, "y": 0, "w": 1, "h": 1}'::json)), text, md5(text) || md5(text), 1, null, now()
     from generate_series(1, ?::int) as page,
       lateral (select 'Page ' || page || repeat(' “é\n"', case page when 400 then 200000 else 500 end) as text) as made`,
    [fileId, PAGES],
  );
  await em.execute(
    `insert into document_chunks
       (id, file_id, tenant_id, chunk_index, content, page_numbers, heading_path, token_count, chunk_type, dictionary,
        embedding_status, collection, search)
     select gen_random_uuid(), ?, ?, index, 'Chunk ' || index || repeat('.', 2500), '{1}', '{}', 9, 'text', 'english',
       'pending', null, '' from generate_series(0, ?::int - 1) as index`,
    [fileId, tenantId, chunks],
  );
  return fileId;
}

test('long responses are complete, and have the same shape as short ones', async () => {
  const { tenantId, client } = await createOwnTenant(orm, run);
  const CHUNKS = 1000;
  const id = await seedDocument(tenantId, CHUNKS);
  try {
    const read = async (path: string): Promise<Json> => {
      const { status, headers, body } = await client.get(path);
      assert.equal(status, 200, JSON.stringify(body).slice(0, 500));
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      return body;
    };

    const { chunks, total_chunks: total } = await read(`/files/${id}/chunks`);
    assert.deepEqual([chunks.length, total], [CHUNKS, CHUNKS]);
    for (const [at, chunk] of chunks.entries()) assert.equal(chunk.chunk_index, at);
    const embedded = await read(`/files/${id}/chunks?include_embeddings=true`);
    assert.deepEqual([embedded.chunks.length, embedded.chunks[0].embedding], [CHUNKS, null]);
    assert.deepEqual(embedded.status_counts, { completed: 0, pending: CHUNKS, failed: 0 });

    const rows = await orm.em
      .fork()
      .execute<{ text: string }[]>('select text from document_pages where file_id = ? order by page_number', [
        id,
      ]);
    const texts = rows.map(({ text }) => text);
    const whole = texts.join('\n\n');
    assert.equal((await read(`/files/${id}/text`)).text === whole, true);
    assert.equal((await read(`/files/${id}`)).extracted_text === whole, true);
    assert.equal((await read(`/user-files/${id}`)).extracted_text === whole, true);
    assert.equal((await read(`/job/${id}`)).results[0].visible_text === whole, true);
    const { pages, ...counts } = await read(`/files/${id}/digitization`);
    assert.deepEqual(counts, {
      document_id: id,
      status: 'completed',
      total_pages: PAGES,
      completed_pages: PAGES,
      failed_pages: 0,
      reading_note: null,
    });
    assert.deepEqual(
      pages.map((page: Json) => page.elements[0].content),
      texts,
    );
  } finally {
    await removeSeeded(orm, tenantId);
  }
});

test('a tenant gets two long responses at once, a disconnect frees a slot, and the service stays responsive', async (t) => {
  const { tenantId, apiKey, client } = await createOwnTenant(orm, run);
  const id = await seedDocument(tenantId, MANY_CHUNKS);
  const read = () => fetch(`${run.api_url}/files/${id}/chunks`, { headers: { 'X-API-Key': apiKey } });
  const isWhole = async (response: Response) => {
    assert.equal(response.status, 200);
    const { chunks, total_chunks: total } = (await response.json()) as Json;
    assert.deepEqual([chunks.length, total], [MANY_CHUNKS, MANY_CHUNKS]);
  };
  try {
    // Clients that read nothing of their response hold every slot of their tenant.
    const open = await Promise.all(Array.from({ length: 2 }, () => begin(`/files/${id}/chunks`, apiKey)));
    const refused = await client.get(`/files/${id}/chunks`);
    assert.deepEqual([refused.status, refused.body.code], [429, 'RATE_LIMITED']);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal(
      (await client.get(`/files/${id}/digitization/status`)).status,
      200,
      'short responses have no limit',
    );
    for (const response of open) response.destroy();
    await eventually(async () => isWhole(await read()));

    const reading = { ended: false };
    const answers = Promise.all(
      Array.from({ length: 10 }, async () => {
        const response = await read();
        if (response.status !== 429) return isWhole(response);
        assert.ok(Number(response.headers.get('retry-after')) > 0);
        await response.body?.cancel();
      }),
    ).finally(() => (reading.ended = true));
    let slowest = 0;
    while (!reading.ended) {
      const began = performance.now();
      assert.equal((await client.request('GET', `${client.origin}/healthz`)).status, 200);
      slowest = Math.max(slowest, performance.now() - began);
    }
    t.diagnostic(`the slowest health check during long responses took ${Math.round(slowest)} ms`);
    assert.equal((await client.request('GET', `${client.origin}/healthz`)).status, 200);
    await answers;
  } finally {
    await removeSeeded(orm, tenantId);
  }
});

test('each of many concurrent searches is answered, or refused with Retry-After', async () => {
  const { tenantId, client } = await createOwnTenant(orm, run);
  const id = await seedDocument(tenantId, 500);
  try {
    const search = (at: number) =>
      at % 2 === 0
        ? client.request('GET', '/files?search=annals')
        : client.post('/files/search', { query: 'chunk', document_ids: [id] });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, at) => search(at)));
    assert.ok(answers.some(({ status }) => status === 200));
    for (const { status, headers, body } of answers) {
      if (status === 200) continue;
      assert.deepEqual([status, body.code], [429, 'RATE_LIMITED'], JSON.stringify(body));
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
  } finally {
    await removeSeeded(orm, tenantId);
  }
});

/** Begins a request and reads nothing of its response body. */
async function begin(path: string, apiKey: string): Promise<IncomingMessage> {
  const request = get(`${run.api_url}${path}`, { headers: { 'X-API-Key': apiKey }, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  response.on('error', () => undefined);
  return response;
}
