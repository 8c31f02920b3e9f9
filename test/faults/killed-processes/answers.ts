import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { CreditEntry } from '../../../db/entities/accounts/credit-entry.ts';
import { Tenant } from '../../../db/entities/accounts/tenant.ts';
import { DocumentAnswer } from '../../../db/entities/ask/document-answer.ts';
import { StoredFile } from '../../../db/entities/files/stored-file.ts';
import { UsageEvent } from '../../../db/entities/usage/usage-event.ts';
import { answerReservationId } from '../../../domain/accounts/credits.ts';
import { startWorkflow } from '../../../temporal/start-workflow.ts';
import { eventually, type Json } from '../../support/api.ts';
import { replies, type ModelReply } from '../../support/model-server.ts';
import { own } from './stack.ts';
import { ANSWER_WORKFLOWS } from '../../../temporal/contract/answer-question.ts';
import { PURGE_FILES, PURGE_NOW_ID } from '../../../temporal/contract/purge-files.ts';

/** Questions to a model that answers, fails or hangs, while clients leave, documents go and workers are killed. */
const { stack, orm, engine, model } = own;
const { client, apiKey, tenantId } = await own.newTenant();

const HERON = 'The heron pump weighs 12 kg.';
const EGRET = 'The egret pump weighs 45 kg.';
const QUESTION = 'What does the pump weigh?';

const add = async (text: string, from = client): Promise<string> => {
  const bytes = Buffer.from(`# Manual ${randomUUID()}\n\n${text}\n`);
  const id = await from.ingest({ bytes, filename: 'manual.md', fields: { auto_describe: 'false' } });
  await from.settled(id);
  return id;
};
const heron = await add(HERON);

const isQuestion = (body: unknown) => (body as Json).response_format?.json_schema.name === 'answer';
const asked = () => model.requests.filter(({ body }) => isQuestion(body));
/** Says these sentences, each with itself as its quote from the passage that has it. */
const saying =
  (...sentences: string[]): ModelReply =>
  (response, request) => {
    const prompt = (request.body as Json).messages.find(({ role }: Json) => role === 'user').content[0].text;
    const [, listed = '[]'] = /\nPassages: (.*)\n/.exec(prompt) ?? [];
    const passages: Json[] = JSON.parse(listed);
    const placed = sentences.map((text) => ({
      text,
      quotes: passages.flatMap(({ passage, text: own }) =>
        own.includes(text) ? [{ passage, quote: text }] : [],
      ),
    }));
    replies.content(JSON.stringify({ answered: true, sentences: placed }))(response, request);
  };

/** Replies to questions in this order, repeating the last reply. */
function answer(context: TestContext, ...script: [ModelReply, ...ModelReply[]]): void {
  const left = [...script];
  model.otherwise((response, request) => {
    const reply = left.length > 1 ? left.shift() : left[0];
    if (isQuestion(request.body)) reply?.(response, request);
    else replies.ok()(response, request);
  });
  context.after(() => model.otherwise(replies.ok()));
}

/** A reply that is sent once it is released. */
function held(reply: ModelReply): { reply: ModelReply; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    reply: (response, request) => void promise.then(() => reply(response, request)),
    release: resolve,
  };
}

const ask = (fields: Json = {}) =>
  client.post('/files/ask', { question: QUESTION, document_ids: [heron], ...fields });
const read = async (id: string): Promise<Json> => (await client.get(`/answers/${id}`)).body;
const namedIn = ({ detail }: Json): string => /answer ([\da-f-]{36})/.exec(detail)?.[1] ?? '';

async function ended(id: string): Promise<Json> {
  return eventually(async () => {
    const found = await read(id);
    assert.notEqual(found.status, 'processing');
    return found;
  }, 60);
}

async function creditsOf(id: string): Promise<string[]> {
  const reservationId = answerReservationId(id);
  const entries = await orm.em.fork().find(CreditEntry, { reservationId }, { orderBy: { closes: 'asc' } });
  return entries.map(({ kind, amount }) => `${kind} ${amount}`);
}

async function usageOf(id: string): Promise<UsageEvent> {
  const [event, ...more] = await orm.em
    .fork()
    .find(UsageEvent, { tenantId, reservationId: answerReservationId(id) });
  assert.ok(event && more.length === 0);
  return event;
}

/** A question that hangs at the model, and its answer. */
async function started(fields: Json = {}): Promise<string> {
  const before = asked().length;
  const { status, body } = await ask({ timeout: 5, ...fields });
  assert.deepEqual([status, body.status], [202, 'processing'], JSON.stringify(body));
  await eventually(async () => assert.equal(asked().length, before + 1));
  return body.answer_id;
}

async function purge(fileId: string): Promise<void> {
  const deletedAt = new Date(Date.now() - 41 * 86_400_000);
  await orm.em.fork().nativeUpdate(StoredFile, { id: fileId }, { deletedAt });
  await eventually(async () => assert.ok(await startWorkflow(engine, PURGE_FILES, { days: 40 })));
  await engine.client.workflow.getHandle(PURGE_NOW_ID).result();
  assert.equal((await client.get(`/files/deletions/${fileId}`)).status, 200);
}

test('a model answers within the token budget of the level, and the credits are spent once', async (context) => {
  answer(context, saying(HERON, 'It is the lightest pump.'));
  for (const [level, budget, credits] of [
    ['quick', 4096, 1],
    ['default', 8192, 2],
    ['critical', 16_384, 4],
  ] as const) {
    const before = asked().length;
    const { status, body } = await ask({ analysis_level: level });
    assert.deepEqual(
      [status, body.answered_by, body.provider],
      [200, 'model', 'openai'],
      JSON.stringify(body),
    );
    assert.deepEqual(
      body.sentences.map(({ text, supported, citations }: Json) => [text, supported, citations.length]),
      [
        [HERON, true, 1],
        ['It is the lightest pump.', false, 0],
      ],
    );
    const [request, ...more] = asked().slice(before);
    assert.ok(request && more.length === 0);
    assert.equal((request.body as Json).max_completion_tokens, budget);
    assert.deepEqual(await creditsOf(body.answer_id), [`reserve ${credits}`, `spend ${credits}`]);
    const event = await usageOf(body.answer_id);
    assert.deepEqual(
      [event.type, event.inputTokens, event.outputTokens, event.thinkingTokens, event.credits],
      ['ask', 1200, 80, 30, credits],
    );
  }
});

test('an answer that the documents do not have costs as much, a question without a passage nothing', async (context) => {
  answer(context, replies.content(JSON.stringify({ answered: false, sentences: [] })));
  const { body } = await ask();
  assert.deepEqual([body.answered, body.answered_by, body.sentences], [false, 'model', []]);
  assert.deepEqual(await creditsOf(body.answer_id), ['reserve 2', 'spend 2']);
  const before = asked().length;
  const { body: none } = await ask({ document_ids: [] });
  assert.deepEqual([none.answered, asked().length, await creditsOf(none.answer_id)], [false, before, []]);
});

for (const [name, reply, code, reason, hasTokens] of [
  ['an outage that outlasts the client', replies.error(500), 'MODEL_UNAVAILABLE', 'MODEL_UNAVAILABLE', false],
  ['a refused API key', replies.error(401), 'MODEL_UNAVAILABLE', 'MODEL_UNAUTHORIZED', false],
  ['a refusal', replies.content(null, { refusal: 'no' }), 'ANSWER_FAILED', 'MODEL_REFUSED', true],
  [
    'a reply that twice does not match the schema',
    replies.content('{"answer": "12 kg"}'),
    'ANSWER_FAILED',
    'MODEL_INVALID_ANSWER',
    true,
  ],
] as const) {
  test(`${name} fails with a reason and costs nothing; tokens are recorded`, async (context) => {
    answer(context, reply);
    const { status, body } = await ask({ timeout: 12 });
    assert.deepEqual([status, body.code], [500, code], JSON.stringify(body));
    const id = namedIn(body);
    const failed = await read(id);
    assert.deepEqual([failed.status, failed.error.code, failed.sentences], ['failed', reason, []]);
    assert.deepEqual(await creditsOf(id), ['reserve 2', 'refund 2']);
    const event = await usageOf(id);
    assert.deepEqual([event.errorCode, event.credits, event.inputTokens > 0], [reason, 0, hasTokens]);
  });
}

test('without credits no model is asked, and sentences of the passages themselves need none', async () => {
  const poor = await own.newTenant();
  const id = await add(HERON, poor.client);
  await orm.em.fork().nativeUpdate(Tenant, poor.tenantId, { maxMonthlyCredits: 1 });
  const before = asked().length;
  const send = () =>
    poor.client.request('POST', '/files/ask', {
      body: JSON.stringify({ question: QUESTION, document_ids: [id] }),
      headers: { 'Content-Type': 'application/json' },
    });
  const { status, body, headers } = await send();
  assert.deepEqual([status, body.code, asked().length], [429, 'QUOTA_EXHAUSTED', before]);
  assert.ok(Number(headers.get('retry-after')) > 0);
  assert.deepEqual(await creditsOf(namedIn(body)), []);
  await orm.em.fork().nativeUpdate(Tenant, poor.tenantId, { allowedVlmProviders: [] });
  const { status: ok, body: offline } = await send();
  assert.deepEqual([ok, offline.answered_by, offline.sentences[0]?.text], [200, 'passages', HERON]);
  assert.deepEqual([asked().length, await creditsOf(offline.answer_id)], [before, []]);
});

test('a failed answer releases its key, streamed or not', async (context) => {
  for (const accept of ['application/json', 'text/event-stream']) {
    answer(context, replies.content(null, { refusal: 'no' }), saying(HERON));
    const send = async (): Promise<string> => {
      const response = await fetch(`${stack.runInfo.api_url}/files/ask`, {
        method: 'POST',
        headers: {
          'X-API-Key': apiKey,
          'Content-Type': 'application/json',
          Accept: accept,
          'Idempotency-Key': `refused-${heron}-${accept.length}`,
        },
        body: JSON.stringify({ question: QUESTION, document_ids: [heron] }),
      });
      return response.text();
    };
    assert.match(await send(), /"code":"ANSWER_FAILED"/, accept);
    const again = await eventually(async () => {
      const text = await send();
      assert.doesNotMatch(text, /REQUEST_IN_FLIGHT/);
      return text;
    });
    assert.match(again, /"answered":true/, accept);
  }
});

test('documents, folders and answers of others look absent, and reach no model', async (context) => {
  answer(context, saying(HERON));
  const other = await own.newTenant();
  const { body: folder } = await client.post('/folders', { name: `own ${randomUUID()}` });
  const { body: mine } = await ask();
  const before = asked().length;
  for (const fields of [{ document_ids: [heron] }, { document_ids: [randomUUID()] }, {}]) {
    const { status, body } = await other.client.post('/files/ask', { question: QUESTION, ...fields });
    assert.deepEqual([status, body.answered, body.passages], [200, false, []]);
  }
  const hidden = async (make: (id: string) => Promise<{ status: number; body: Json }>, foreign: string) => {
    for (const id of [foreign, randomUUID()]) {
      const { status, body } = await make(id);
      assert.deepEqual([status, body.code], [404, 'NOT_FOUND']);
    }
  };
  await hidden((id) => other.client.post('/files/ask', { question: QUESTION, folder_id: id }), folder.id);
  await hidden((id) => other.client.get(`/answers/${id}`), mine.answer_id);
  assert.equal(asked().length, before);
});

test('a document deleted while the model is busy is not shown to it again', async (context) => {
  const egret = await add(EGRET);
  const first = held(replies.rateLimited('1'));
  answer(context, first.reply, saying(EGRET, HERON));
  const before = asked().length;
  const pending = ask({ document_ids: [heron, egret], timeout: 60 });
  await eventually(async () => assert.equal(asked().length, before + 1));
  assert.match(JSON.stringify(asked().at(-1)?.body), /egret/);
  assert.equal((await client.delete(`/files/${egret}`)).status, 200);
  first.release();
  // The model that remembers it has no quote for it.
  const { body } = await pending;
  assert.deepEqual(
    body.sentences.map(({ supported, citations }: Json) => [supported, citations.length]),
    [
      [false, 0],
      [true, 1],
    ],
  );
  assert.doesNotMatch(JSON.stringify(asked().at(-1)?.body), /egret/);
});

test('a purge takes the text of a document out of answers, ended or in progress', async (context) => {
  const egret = await add(EGRET);
  answer(context, saying(EGRET));
  const { body: done } = await ask({ document_ids: [egret] });
  assert.equal(done.sentences[0]?.supported, true, JSON.stringify(done));
  const { reply, release } = held(saying(HERON, EGRET, 'An egret is the heavier one.'));
  answer(context, reply);
  const id = await started({ document_ids: [heron, egret] });
  assert.equal((await client.delete(`/files/${egret}`)).status, 200);
  await purge(egret);
  assert.equal((await client.get(`/answers/${done.answer_id}`)).status, 404);
  const early = await read(id);
  assert.deepEqual([early.status, early.passages.length], ['processing', 1]);
  release();
  const { status, answered, sentences, passages } = await ended(id);
  assert.deepEqual([status, answered, passages.length], ['completed', true, 1]);
  assert.deepEqual(
    sentences.map(({ text }: Json) => text),
    [HERON],
  );
  const row = await orm.em.fork().findOneOrFail(DocumentAnswer, { id });
  assert.doesNotMatch(JSON.stringify(row), /egret/i);
  assert.deepEqual(await creditsOf(id), ['reserve 2', 'spend 2']);
});

test('the answer of a client that leaves is charged once, and its key returns it', async (context) => {
  const { reply, release } = held(saying(HERON));
  answer(context, reply);
  const before = asked().length;
  const leave = new AbortController();
  const send = (signal?: AbortSignal, question = QUESTION) =>
    fetch(`${stack.runInfo.api_url}/files/ask`, {
      method: 'POST',
      headers: {
        'X-API-Key': apiKey,
        'Content-Type': 'application/json',
        'Idempotency-Key': `left-${heron}`,
      },
      body: JSON.stringify({ question, document_ids: [heron] }),
      ...(signal && { signal }),
    });
  const left = send(leave.signal);
  await eventually(async () => assert.equal(asked().length, before + 1));
  leave.abort();
  await assert.rejects(left);
  release();
  const body: Json = await eventually(async () => {
    const response = await send();
    assert.equal(response.status, 200);
    return response.json();
  });
  assert.deepEqual(body.sentences[0].text, HERON);
  assert.deepEqual(await (await send()).json(), body);
  assert.equal((await send(undefined, 'Something else?')).status, 422);
  assert.equal(asked().length, before + 1);
  assert.deepEqual(await creditsOf(body.answer_id), ['reserve 2', 'spend 2']);
  await usageOf(body.answer_id);
});

test('a worker killed during the model call only costs time: one answer, charged once', async (context) => {
  answer(context, replies.hang(), saying(HERON));
  const before = asked().length;
  const pending = ask({ timeout: 60 });
  await eventually(async () => assert.equal(asked().length, before + 1));
  await stack.kill('worker');
  await stack.start('worker');
  const { status, body } = await pending;
  assert.deepEqual([status, body.sentences?.[0]?.text], [200, HERON], JSON.stringify(body));
  assert.equal(asked().length, before + 2);
  assert.deepEqual(await creditsOf(body.answer_id), ['reserve 2', 'spend 2']);
  assert.equal((await usageOf(body.answer_id)).inputTokens, 1200);
});

test('a terminated answer fails with the reason and is refunded, even with every worker dead', async (context) => {
  answer(context, replies.hang());
  const id = await started();
  await stack.kill('worker');
  try {
    await engine.client.workflow.getHandle(ANSWER_WORKFLOWS.of(id)).terminate('an operator said so');
    const { status, error } = await ended(id);
    assert.deepEqual([status, error.message], ['failed', 'the workflow was terminated: an operator said so']);
    assert.deepEqual(await creditsOf(id), ['reserve 2', 'refund 2']);
  } finally {
    await stack.start('worker');
  }
});
