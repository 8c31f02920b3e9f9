import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { createClient, sharedRun, type Json } from '../support/api.ts';
import { quarters } from '../support/sample-images.ts';

const run = sharedRun();
const client = createClient(run);
const stranger = createClient(run, run.tenants.starter.api_key);
const image: Buffer<ArrayBuffer> = await quarters().png().toBuffer();

let file: Json;
before(async () => {
  const id = await client.ingest({ bytes: image, filename: 'quarters.png', fields: { title: 'Before' } });
  file = await client.settled(id);
});

test('title, tags and description can be changed independently, and omitted fields are kept', async () => {
  const titled = await client.patch(`/files/${file.id}`, { title: '  After ' });
  assert.equal(titled.status, 200, JSON.stringify(titled.body));
  assert.deepEqual(titled.body, {
    id: file.id,
    title: 'After',
    tags: file.tags,
    user_description: null,
    upload_description: file.upload_description,
    folder_id: null,
    updated_at: titled.body.updated_at,
  });
  assert.ok(titled.body.updated_at > file.updated_at);

  const tagged = await client.patch(`/files/${file.id}`, { tags: ['b', ' a', '', 'b'] });
  assert.deepEqual(tagged.body.tags, ['b', 'a']);
  const described = await client.patch(`/files/${file.id.slice(0, 8)}`, {
    user_description: 'Four quarters',
  });
  assert.equal(described.body.user_description, 'Four quarters');
  assert.equal(described.body.upload_description, file.upload_description);

  const { body } = await client.get(`/files/${file.id}`);
  assert.deepEqual(
    [body.title, body.tags, body.user_description, body.upload_description],
    ['After', ['b', 'a'], 'Four quarters', file.upload_description],
  );
  const { items } = (await client.get('/files?limit=100')).body;
  assert.equal(items.find(({ id }: Json) => id === file.id).user_description, 'Four quarters');
});

test("null or an empty text removes the user's description, and restores the file name", async () => {
  for (const nothing of [null, '']) {
    await client.patch(`/files/${file.id}`, { user_description: 'Mine', title: 'Mine', tags: ['mine'] });
    const gone = { user_description: nothing, title: nothing, tags: nothing === '' ? [] : null };
    const { body } = await client.patch(`/files/${file.id}`, gone);
    assert.deepEqual([body.user_description, body.title, body.tags], [null, 'quarters.png', []]);
  }
});

test('values of maximum length are accepted in any escaping', async () => {
  const body = {
    title: 'ü'.repeat(255),
    tags: Array.from({ length: 40 }, (_, i) => String(i).padStart(50, 'é')),
    user_description: '語'.repeat(10_000),
  };
  const escaped = JSON.stringify(body).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const answer = await client.request('PATCH', `/files/${file.id}`, {
    body: escaped,
    headers: { 'Content-Type': 'application/json' },
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual([answer.body.title, answer.body.tags], [body.title, body.tags]);
  assert.equal(answer.body.user_description, body.user_description);
});

for (const type of ['application/merge-patch+json', 'application/vnd.example.v1+json; charset=utf-8']) {
  test(`a body of ${type} is read as JSON`, async () => {
    const title = `By ${type}`;
    const answer = await client.request('PATCH', `/files/${file.id}`, {
      body: JSON.stringify({ title }),
      headers: { 'Content-Type': type },
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.body.title, title);
  });
}

test('each of several concurrent changes returns what it wrote', async () => {
  const titles = Array.from({ length: 24 }, (_, i) => `Change ${i}`);
  const answers = await Promise.all(
    titles.map((title) => client.patch(`/files/${file.id}`, { title, tags: [title] })),
  );
  assert.deepEqual(
    answers.map(({ body }) => [body.title, body.tags]),
    titles.map((title) => [title, [title]]),
  );
  const moments = answers.map(({ body }) => body.updated_at).toSorted();
  assert.equal((await client.get(`/files/${file.id}`)).body.updated_at, moments.at(-1));
});

const BAD: [string, unknown, string][] = [
  ['nothing', {}, '/body'],
  ['an unknown field', { title: 'a', size_bytes: 1 }, '/body/size_bytes'],
  ['the description of the model', { title: 'a', upload_description: 'a' }, '/body/upload_description'],
  ['an owner', { tags: ['a'], tenant_id: randomUUID() }, '/body/tenant_id'],
  ['a list', [], '/body'],
  ['a title of 256 characters', { title: 'x'.repeat(256) }, '/body/title'],
  ['a title that is a number', { title: 7 }, '/body/title'],
  ['a NUL', { title: 'a\0b' }, '/body/title'],
  ['tags as text', { tags: 'a,b' }, '/body/tags'],
  ['41 tags', { tags: Array.from({ length: 41 }, (_, i) => `t${i}`) }, '/body/tags'],
  ['a tag of 51 characters', { tags: ['a', 'x'.repeat(51)] }, '/body/tags/1'],
  ['a description of 10,001 characters', { user_description: 'x'.repeat(10_001) }, '/body/user_description'],
];
for (const [what, body, pointer] of BAD) {
  test(`${what} is rejected with 422 at ${pointer}`, async () => {
    const answer = await client.patch(`/files/${file.id}`, body);
    assert.equal(answer.status, 422, JSON.stringify(answer.body));
    assert.deepEqual(
      answer.body.errors.map((error: Json) => error.pointer),
      [pointer],
    );
  });
}

test('another tenant cannot change a file, nor learn that it exists', async () => {
  const refused = await stranger.patch(`/files/${file.id}`, { title: 'Theirs' });
  assert.equal(refused.status, 404);
  const absent = await stranger.patch(`/files/${randomUUID()}`, { title: 'Theirs' });
  assert.equal(refused.body.detail, absent.body.detail);
  assert.notEqual((await client.get(`/files/${file.id}`)).body.title, 'Theirs');
});

test('tags set during the model call are not overwritten', async () => {
  const id = await client.ingest({ bytes: image, fields: { tags: 'old' } });
  const patched = await client.patch(`/files/${id}`, { tags: ['mine'] });
  assert.equal(patched.status, 200);
  const { tags } = await client.settled(id);
  assert.equal(tags[0], 'mine');
  // The model's tags may be replaced only if the description was faster than this request.
  assert.ok(!tags.includes('old'), tags.join());
});

test('format=markdown adds a document in which user text is escaped', async () => {
  const id = await client.ingest({ bytes: image, filename: 'pipe|name.png' });
  await client.settled(id);
  await client.patch(`/files/${id}`, {
    title: '# <b>Not</b> a heading',
    tags: ['*a*', 'b_c'],
    user_description: 'One\n\n- two\n1. three [x](javascript:alert(1))',
  });
  const plain = await client.get(`/files/${id}`);
  assert.equal(plain.body.formatted_document, undefined);
  const { status, body } = await client.get(`/files/${id}?format=markdown`);
  assert.equal(status, 200);
  const text: string = body.formatted_document;
  assert.ok(
    text.startsWith('# \\# \\<b\\>Not\\</b\\> a heading\n\nOne\n\n\\- two\n1\\. three \\[x\\]('),
    text,
  );
  assert.match(text, /\*\*Tags:\*\* \\\*a\\\*, b\\_c\n/);
  assert.match(text, /\| File \| pipe\\\|name\.png \|\n/);
  assert.match(text, /\| Dimensions \| 120 × 80 \|\n/);
  assert.equal(body.title, '# <b>Not</b> a heading');
  assert.equal((await client.get(`/files/${id}?format=html`)).status, 422);
});
