import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import sharp from 'sharp';
import { createClient, sharedRun, type Answer, type Json } from '../support/api.ts';
import { screenshot } from '../support/images-of-text.ts';

const client = createClient(sharedRun());
/** All files of this test have this tag, since other tests share the account. */
const TAG = `lists-${randomUUID().slice(0, 8)}`;
let ids: Record<'tagged' | 'titled' | 'named' | 'accented', string>;

const image = () =>
  sharp({
    create: {
      width: 32,
      height: 32,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  })
    .png()
    .toBuffer();

before(async () => {
  const add = async (title: string, filename: string, tags: string[] = []) =>
    client.ingest({
      bytes: await image(),
      filename,
      fields: { title, tags: [TAG, ...tags].join(','), auto_describe: 'false' },
    });
  ids = {
    tagged: await add('Somewhere', 'a.png', ['zeppelins']),
    titled: await add('My Zeppelin', 'b.png'),
    named: await add('Nothing', 'the_zeppelin-2024.png'),
    accented: await add('Café Zürich', 'd.png', ['lists-both']),
  };
});

const list = (query: Record<string, string | string[]>): Promise<Answer> => {
  const parameters = new URLSearchParams([['tags', TAG]]);
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values].flat()) parameters.append(name, value);
  }
  return client.get(`/files?${parameters.toString()}`);
};
const found = async (query: Record<string, string | string[]>): Promise<string[]> => {
  const { status, body } = await list(query);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.total_count, body.items.length);
  return body.items.map(({ id }: { id: string }) => id);
};

test('a search finds words by their stem, in titles and tags first, then in file names', async () => {
  assert.deepEqual(await found({ search: 'ZEPPELIN' }), [ids.titled, ids.tagged, ids.named]);
  assert.deepEqual(await found({ search: 'zeppelin', sort_by: 'created_at', sort_order: 'asc' }), [
    ids.tagged,
    ids.titled,
    ids.named,
  ]);
});

test('a search handles parts of words, accents, several words, phrases and typos', async () => {
  assert.deepEqual(await found({ search: 'eppeli' }), [ids.named, ids.titled, ids.tagged]);
  assert.deepEqual(await found({ search: 'cafe zurich' }), [ids.accented]);
  assert.deepEqual(await found({ search: 'Zürich Café' }), [ids.accented]);
  assert.deepEqual(await found({ search: '"zurich cafe"' }), []);
  assert.equal((await found({ search: 'zepelin 2024.png' }))[0], ids.named);
  assert.deepEqual(
    (await found({ search: 'zepelin' })).toSorted(),
    [ids.named, ids.titled, ids.tagged].toSorted(),
  );
  assert.deepEqual(await found({ search: "it's 100% \\ ' ; -- ? ?? $1 %" }), []);
});

test('visible text can be searched alone, included or excluded', async () => {
  const id = await client.ingest({
    bytes: await screenshot().png().toBuffer(),
    filename: 'page.png',
    fields: { title: 'Page', tags: TAG },
  });
  const { visible_text: text } = await client.settled(id);
  const word = /[A-Za-z]{6,}/.exec(text)?.[0] ?? '';
  assert.ok(word, text);
  assert.deepEqual(await found({ search: word, search_mode: 'visible_text' }), [id]);
  assert.deepEqual(await found({ search: word }), [id]);
  assert.deepEqual(await found({ search: 'Page', search_mode: 'visible_text', ids: ids.titled }), []);
  assert.deepEqual(await found({ has_description: 'true' }), [id]);
  assert.equal((await found({ has_description: 'false' })).length, 4);
});

test('filters are combined with AND', async () => {
  assert.deepEqual(await found({ tags: 'lists-both' }), [ids.accented]);
  assert.deepEqual(await found({ ids: [ids.titled, ids.named.toUpperCase(), randomUUID()] }), [
    ids.named,
    ids.titled,
  ]);
  assert.deepEqual(await found({ media_types: ['document', 'video'] }), []);
  const all = (await list({ media_types: ['image', 'link'] })).body.items;
  assert.ok(all.length >= 4);
  assert.ok((await found({ compliance_status: 'not_checked' })).length >= 4);
  assert.deepEqual(await found({ compliance_status: 'passed' }), []);
  assert.deepEqual(await found({ deleted: 'true' }), []);
  assert.ok((await found({ date_from: '2020-01-01', date_to: '2999-12-31' })).length >= 4);
  assert.deepEqual(await found({ date_to: '2020-01-01T00:00:00+02:00' }), []);
  const at = (await client.get(`/files/${ids.titled}`)).body.created_at as string;
  assert.deepEqual(await found({ date_from: at, date_to: at }), [ids.titled]);
});

test('a cursor continues after its page, and only in the same list', async () => {
  const seen: string[] = [];
  const wanted = await found({ sort_by: 'title', sort_order: 'asc' });
  let cursor: string | null = null;
  do {
    const { status, body }: Answer = await list({
      sort_by: 'title',
      sort_order: 'asc',
      limit: '2',
      ...(cursor && { cursor }),
    });
    assert.equal(status, 200);
    seen.push(...body.items.map(({ id }: { id: string }) => id));
    assert.equal(body.has_more, body.next_cursor !== null);
    cursor = body.next_cursor;
  } while (cursor);
  assert.deepEqual(seen, wanted);
  const { next_cursor } = (await list({ sort_by: 'title', limit: '2' })).body;
  assert.equal((await list({ sort_by: 'title', limit: '3', cursor: next_cursor })).status, 200);
  for (const query of [
    { sort_by: 'size_bytes', cursor: next_cursor },
    { sort_by: 'title', search: 'x', cursor: next_cursor },
    { sort_by: 'title', offset: '2', cursor: next_cursor },
    { cursor: 'garbage' },
  ]) {
    const { status, body } = await list(query);
    assert.equal(status, 422, JSON.stringify(query));
    assert.match(body.errors[0].pointer, /^\/query\/(cursor|offset)$/);
  }
});

test('invalid parameters are rejected by name', async () => {
  const refusals: [string, string][] = [
    ['search=%20', '/query/search'],
    ['limit=many', '/query/limit'],
    [`search=${'x'.repeat(1001)}`, '/query/search'],
    ['search=a%00b', '/query/search'],
    ['search=a&search=b', '/query/search'],
    ['search_mode=titles', '/query/search_mode'],
    ['media_types=image&media_types=sound', '/query/media_types/1'],
    ['status=failed&status=done', '/query/status/1'],
    ['ids=81962aa5', '/query/ids/0'],
    ['has_description=perhaps', '/query/has_description'],
    ['compliance_status=good', '/query/compliance_status'],
    ['date_from=yesterday', '/query/date_from'],
    ['date_to=2026-02-30', '/query/date_to'],
    ['date_to=0000-01-01', '/query/date_to'],
    ['tags=%20', '/query/tags/0'],
    ['folder_id=x', '/query/folder_id'],
    ['deleted=maybe', '/query/deleted'],
  ];
  for (const [query, pointer] of refusals) {
    const { status, body } = await client.get(`/files?${query}`);
    assert.equal(status, 422, `${query}: ${JSON.stringify(body)}`);
    assert.equal(body.errors[0].pointer, pointer);
  }
  for (const name of ['folder_id', 'project_id']) {
    assert.equal((await client.get(`/files?${name}=${randomUUID()}`)).status, 404);
  }
});

test('an empty filter is ignored unless it is a list, and repeated values count once', async () => {
  const { body: plain } = await client.get(`/files?tags=${TAG}`);
  const names = ['search', 'folder_id', 'project_id', 'has_description', 'limit'];
  names.push('compliance_status', 'date_from', 'date_to', 'deleted', 'sort_by', 'sort_order', 'cursor');
  const empty = names.map((name) => `&${name}=`).join('');
  const repeated = '&media_types=image'.repeat(5) + `&tags=${TAG}`.repeat(40);
  for (const query of [empty, repeated]) {
    const { status, body } = await client.get(`/files?tags=${TAG}${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      body.items.map(({ id }: Json) => id),
      plain.items.map(({ id }: Json) => id),
    );
  }
  for (const list of ['media_types', 'status', 'ids']) {
    const { status, body } = await client.get(`/files?tags=${TAG}&${list}=`);
    assert.deepEqual([status, body.total_count, body.items], [200, 0, []], list);
  }
});

test('files of other accounts are never found', async () => {
  const stranger = createClient(sharedRun(), sharedRun().tenants.starter.api_key);
  for (const query of [`tags=${TAG}`, 'search=zeppelin', `ids=${ids.titled}`]) {
    const { body } = await stranger.get(`/files?${query}`);
    assert.deepEqual([body.total_count, body.items], [0, []], query);
  }
});

test('files are found by their status, also by several', async () => {
  const { body } = await client.get(`/files?tags=${TAG}`);
  for (const { id } of body.items) await client.settled(id);
  const all = (await list({})).body.items;
  const broken = await client.ingest({
    bytes: (await image()).subarray(0, 200),
    filename: 'broken.png',
    fields: { tags: TAG },
  });
  assert.equal((await client.settled(broken)).primary_status, 'failed');
  assert.deepEqual(await found({ status: 'failed' }), [broken]);
  assert.deepEqual(await found({ status: ['failed', 'partially_completed'], media_types: 'image' }), [
    broken,
  ]);
  assert.deepEqual(await found({ status: ['pending', 'processing'] }), []);
  assert.equal((await found({ status: ['failed', 'completed'] })).length, all.length + 1);
  assert.equal((await client.delete(`/files/${broken}`)).status, 200);
  assert.deepEqual(await found({ status: 'failed' }), []);
  assert.deepEqual(await found({ status: 'failed', deleted: 'true' }), [broken]);
});
