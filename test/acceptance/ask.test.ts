import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createClient, sharedRun, type Json } from '../support/api.ts';

/** Questions without a model: the best sentences of the documents themselves. */
const run = sharedRun();
/** Of a tenant without extractions in other tests, so that its usage stays the same. */
const { api_key: key } = run.tenants.professional;
const client = createClient(run, key);
const word = `kestrel${randomUUID().slice(0, 8)}`;

const MANUAL = `# ${word} manual

## Warranty

The warranty of the ${word} lasts 24 months from the date of purchase. Batteries are not covered by the warranty.

## Operation

The ${word} must not be opened while it is under pressure. Its tank holds 3.5 litres.
`;

async function added(text: string, fields: Record<string, string> = {}): Promise<string> {
  const bytes = Buffer.from(text);
  const id: string = await client.ingest({ bytes, filename: 'manual.md', fields });
  const file = await client.settled(id);
  assert.equal(file.primary_status, 'completed', file.explanation);
  return id;
}

const manual = added(MANUAL);

test('without a model, an answer is the best sentences, with their pages and places', async () => {
  const id = await manual;
  const before = (await client.get('/usage/summary')).body;
  const { status, body } = await client.post('/files/ask', {
    question: `How long does the warranty of the ${word} last?`,
    document_ids: [id],
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    [body.status, body.answered, body.answered_by, body.provider],
    ['completed', true, 'passages', 'local'],
  );
  const [first] = body.sentences;
  assert.equal(first.text, `The warranty of the ${word} lasts 24 months from the date of purchase.`);
  assert.equal(first.supported, true);
  const [cited] = first.citations;
  assert.deepEqual([cited.document_id, cited.document_filename, cited.quote], [id, 'manual.md', first.text]);
  assert.equal(cited.page_number, 1);
  assert.ok(cited.bounding_box.h > 0, JSON.stringify(cited));
  assert.ok(body.passages.some((passage: Json) => passage.chunk_id === cited.chunk_id));
  assert.deepEqual(body.usage, { input_tokens: 0, output_tokens: 0, thinking_tokens: null });
  const after = (await client.get('/usage/summary')).body;
  assert.equal(after.usage.extract_count, before.usage.extract_count);

  const again = await client.get(`/answers/${body.answer_id}`);
  assert.deepEqual(again.body, body);
});

test('a question that no document answers is not answered', async () => {
  const id = await manual;
  const question = 'Who won the chess olympiad in Budapest?';
  const { status, body } = await client.post('/files/ask', { question, document_ids: [id] });
  assert.deepEqual([status, body.answered, body.sentences], [200, false, []]);
  const none = await client.post('/files/ask', { question, document_ids: [] });
  assert.deepEqual([none.status, none.body.answered, none.body.passages], [200, false, []]);
  const foreign = await client.post('/files/ask', { question, document_ids: [randomUUID()] });
  assert.deepEqual([foreign.status, foreign.body.answered, foreign.body.passages], [200, false, []]);
});

test('a folder and the folders below it are asked; an unknown one is not found', async () => {
  const { body: outer } = await client.post('/folders', { name: `outer ${word}` });
  const { body: inner } = await client.post('/folders', { name: `inner ${word}`, parent_id: outer.id });
  const own = await added(`# Heron ${word}\n\nThe heron ${word} weighs 7 kg.\n`, { folder_id: inner.id });
  const question = `What does the heron ${word} weigh?`;
  const { body } = await client.post('/files/ask', { question, folder_id: outer.id });
  assert.deepEqual([...new Set(body.passages.map((passage: Json) => passage.document_id))], [own]);
  assert.equal(body.sentences[0]?.text, `The heron ${word} weighs 7 kg.`);
  const other = await client.post('/files/ask', {
    question,
    folder_id: outer.id,
    document_ids: [await manual],
  });
  assert.deepEqual([other.status, other.body.passages], [200, []]);
  for (const folder of [randomUUID(), 'no id']) {
    const refused = await client.post('/files/ask', { question, folder_id: folder });
    assert.deepEqual([refused.status, refused.body.code], [404, 'NOT_FOUND']);
  }
});

test('an answer is streamed when asked', async () => {
  const response = await fetch(`${run.api_url}/files/ask`, {
    method: 'POST',
    headers: {
      'X-API-Key': key,
      'Content-Type': 'application/json',
      Accept: 'text/event-stream',
    },
    body: JSON.stringify({
      question: `How much does the tank of the ${word} hold?`,
      document_ids: [await manual],
    }),
  });
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/event-stream']);
  const events = (await response.text())
    .split('\n\n')
    .filter((event) => event.startsWith('event: '))
    .map((event): { name: string; data: Json } => {
      const [name = '', data = ''] = event.split('\n');
      return { name: name.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) };
    });
  const names = events.map(({ name }) => name);
  assert.deepEqual([names[0], names.at(-1)], ['passages', 'done']);
  assert.ok(names.slice(1, -1).every((name) => name === 'sentence') && names.length > 2, names.join());
  const done = events.at(-1)?.data;
  assert.deepEqual(
    events.slice(1, -1).map(({ data }) => data),
    done.sentences,
  );
  assert.match(done.sentences[0].text, /3\.5 litres/);
});

test('a repeat with the same key gets the same answer', async () => {
  const send = async () =>
    client.request('POST', '/files/ask', {
      body: JSON.stringify({
        question: `Are batteries of the ${word} covered?`,
        document_ids: [await manual],
      }),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `ask-${word}` },
    });
  const first = await send();
  const second = await send();
  assert.equal(first.status, 200, JSON.stringify(first.body));
  assert.deepEqual(second.body, first.body);
});

test('bad questions are refused', async () => {
  for (const body of [
    {},
    { question: ' ' },
    { question: 'x'.repeat(1001) },
    { question: 'x', limit: 21 },
    { question: 'x', timeout: 1 },
    { question: 'x', analysis_level: 'deep' },
    { question: 'x', more: 1 },
  ]) {
    const { status } = await client.post('/files/ask', body);
    assert.equal(status, 422, JSON.stringify(body));
  }
  const { status, body } = await client.get(`/answers/${randomUUID()}`);
  assert.deepEqual([status, body.code], [404, 'NOT_FOUND']);
});
