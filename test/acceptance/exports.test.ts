import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, test } from 'node:test';
import { createClient, eventually, sharedRun, type Json } from '../support/api.ts';
import { demoImage, uniqueImage } from '../support/images.ts';

const run = sharedRun();
const client = createClient(run);
const TAG = `export-${randomUUID()}`;
/** Titles that begin like formulas or contain characters that CSV and XML must escape. */
const TITLES = ['=1+1', '+1', '-1', '@SUM(A1)', 'a "quoted", title', 'ein Hafen 🛶 港口 ميناء'];
let folder: string;
let files: string[];

before(async () => {
  folder = (await client.post('/folders', { name: TAG })).body.id;
  const { body: inner } = await client.post('/folders', { name: 'inner', parent_id: folder });
  files = await Promise.all(
    TITLES.map(async (title, at) =>
      client.ingest({
        bytes: await uniqueImage(),
        filename: `${at}.png`,
        fields: { title, tags: 'harbour,boat', folder_id: at === 0 ? inner.id : folder },
      }),
    ),
  );
  await Promise.all(files.map((id) => client.settled(id)));
});

async function exported(body: Json): Promise<{ answer: Json; bytes: Buffer }> {
  const { status, body: answer } = await client.post('/files/export', body);
  assert.equal(status, 200, JSON.stringify(answer));
  const response = await fetch(answer.download_url);
  assert.equal(response.status, 200);
  return { answer, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function historyExport(body: Json): Promise<{ record: Json; text: string }> {
  const { status, body: begun } = await client.post('/data/export', body);
  assert.equal(status, 202, JSON.stringify(begun));
  assert.deepEqual([begun.status, begun.download_url], ['processing', null]);
  const record = await eventually(async () => {
    const { body: read } = await client.get(`/data/export/${begun.export_id}`);
    assert.ok(read.status === 'completed', JSON.stringify(read));
    return read;
  });
  return { record, text: await (await fetch(record.download_url)).text() };
}

test('export columns are grouped, with groups for every medium', async () => {
  const { status, body } = await client.get('/files/export/columns');
  assert.equal(status, 200);
  const expected = 'basic dates descriptions text tags image document video link extraction status';
  assert.deepEqual(Object.keys(body.groups), expected.split(' '));
  for (const [group, columns] of Object.entries<Json[]>(body.groups)) {
    for (const column of columns) {
      assert.deepEqual(Object.keys(column), ['field_key', 'display_name', 'group']);
      assert.equal(column.group, group);
    }
  }
});

test('every column of every requested file can be exported', async () => {
  const { body } = await client.get('/files/export/columns');
  const keys = Object.values<Json[]>(body.groups).flatMap((columns) => columns.map((one) => one.field_key));
  const columns = keys.map((field_key) => ({ field_key }));
  const absent = randomUUID();
  const { answer, bytes } = await exported({
    format: 'csv',
    columns,
    file_ids: [...files.slice(0, 2), absent],
  });
  assert.deepEqual([answer.record_count, answer.format, answer.spreadsheet_url], [2, 'csv', null]);
  const [header] = bytes.toString().split('\r\n');
  assert.equal(header?.split(',').length, keys.length);
});

test('folders are exported with or without their subfolders', async () => {
  const columns = [{ field_key: 'title', display_name: 'Name' }, { field_key: 'folder_path' }];
  const alone = await exported({ format: 'csv', columns, folder_id: folder });
  assert.equal(alone.answer.record_count, TITLES.length - 1);
  const whole = await exported({ format: 'csv', columns, folder_id: folder, include_subfolders: true });
  assert.equal(whole.answer.record_count, TITLES.length);
  assert.match(whole.bytes.toString(), new RegExp(`^Name,Folder\r\n.*/${TAG}/inner\r\n`, 's'));
});

test('text that begins like a formula is escaped in a CSV file', async () => {
  const columns = [{ field_key: 'title' }, { field_key: 'tags' }];
  const request = { format: 'csv', columns, folder_id: folder, include_subfolders: true };
  const lines = (await exported(request)).bytes.toString().split('\r\n').slice(1, -1);
  const cells = TITLES.map((title) => (/^[=+\-@]/.test(title) ? `'${title}` : title));
  const expected = cells.map((cell) => (cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell));
  for (const cell of expected)
    assert.ok(
      lines.some((line) => line.startsWith(`${cell},"harbour, boat`)),
      cell,
    );
  const asList = await exported({ ...request, flatten_tags: false });
  assert.match(asList.bytes.toString(), /"\[""harbour"",""boat""/);
});

test('an invalid export is refused with the wrong field', async () => {
  const columns = [{ field_key: 'title' }];
  const refused = async (body: Json) => {
    const answer = await client.post('/files/export', body);
    return [answer.status, answer.body.code, answer.body.errors?.[0]?.pointer];
  };
  assert.deepEqual(await refused({ format: 'csv', columns: [] }), [
    422,
    'VALIDATION_FAILED',
    '/body/columns',
  ]);
  assert.deepEqual(await refused({ format: 'csv', columns: [{ field_key: 'nothing' }] }), [
    422,
    'VALIDATION_FAILED',
    '/body/columns/0/field_key',
  ]);
  assert.deepEqual(await refused({ format: 'csv', columns: [...columns, ...columns] }), [
    422,
    'VALIDATION_FAILED',
    '/body/columns/1/field_key',
  ]);
  assert.deepEqual(await refused({ format: 'xlsx', columns, sheet_name: 'a/b' }), [
    422,
    'VALIDATION_FAILED',
    '/body/sheet_name',
  ]);
  assert.deepEqual(await refused({ format: 'xlsx', columns, sheet_name: 'a\ufffeb' }), [
    422,
    'VALIDATION_FAILED',
    '/body/sheet_name',
  ]);
  assert.deepEqual(await refused({ format: 'csv', columns, folder_id: randomUUID() }), [
    404,
    'NOT_FOUND',
    undefined,
  ]);
  const unconnected = await client.post('/files/export', { format: 'google_sheets', columns });
  assert.deepEqual([unconnected.status, unconnected.body.code], [422, 'CONNECTION_REQUIRED']);
  assert.match(unconnected.body.detail, /POST \/connections/);
  const data = await client.post('/data/export', { format: 'csv', limit: 100_001, fields: ['nothing'] });
  assert.deepEqual([data.status, data.body.error_count], [422, 2]);
});

test('a repeat with the same Idempotency-Key returns the same export', async () => {
  const headers = { 'Idempotency-Key': randomUUID(), 'Content-Type': 'application/json' };
  const body = JSON.stringify({ format: 'csv', columns: [{ field_key: 'id' }], file_ids: files });
  const [first, second] = [
    await client.request('POST', '/files/export', { headers, body }),
    await client.request('POST', '/files/export', { headers, body }),
  ];
  assert.deepEqual([first.status, second.status], [200, 200]);
  assert.equal(first.body.export_id, second.body.export_id);
});

test('an Idempotency-Key of another form is refused, also an empty one', async () => {
  const body = JSON.stringify({ format: 'csv', columns: [{ field_key: 'id' }], file_ids: files });
  for (const key of ['', 'two words', 'x'.repeat(129)]) {
    const headers = { 'Idempotency-Key': key, 'Content-Type': 'application/json' };
    const answer = await client.request('POST', '/files/export', { headers, body });
    assert.deepEqual([answer.status, answer.body.code], [422, 'VALIDATION_FAILED'], key);
  }
});

test('the history has every description, with statistics and the applied filters', async () => {
  const all = await client.get('/data/descriptions?limit=1000');
  assert.equal(all.status, 200, JSON.stringify(all.body));
  const { items, statistics, filters_applied: filters } = all.body;
  assert.equal(all.body.total_count, statistics.total_count);
  const days = statistics.daily_counts.reduce((sum: number, { count }: Json) => sum + count, 0);
  assert.equal(days, statistics.total_count);
  assert.equal(
    statistics.source_distribution.single + statistics.source_distribution.batch,
    statistics.total_count,
  );
  assert.equal(statistics.average_confidence, null);
  assert.deepEqual(filters, {
    date_range_applied: false,
    confidence_range_applied: false,
    search_applied: false,
    source_types_filtered: [],
    filter_summary: 'no filters',
  });
  const mine = items.find((item: Json) => item.image_id === files[1]);
  assert.deepEqual(
    [mine.type, mine.source_type, mine.source_id, mine.confidence_score, mine.verification],
    ['description', 'single', files[1], null, null],
  );
  assert.equal(mine.metadata.filename, '1.png');
  assert.equal((await fetch(mine.image_url)).status, 200);
  const times = items.map(({ created_at: at }: Json) => at);
  assert.deepEqual(times, times.toSorted().toReversed());
});

test('each filter narrows the history', async () => {
  const count = async (query: string) => {
    const { status, body } = await client.get(`/data/descriptions?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.total_count as number;
  };
  const words = encodeURIComponent(`HAFEN, 港口`);
  assert.equal(await count(`search=${words}`), 1);
  assert.equal(await count(`search=${words},${randomUUID()}`), 0);
  assert.equal(await count(`search=${words}&source_types=batch`), 0);
  assert.equal(await count(`search=${words}&source_types=single,batch`), 1);
  assert.equal(await count(`search=${words}&end_date=2001-01-01`), 0);
  assert.equal(await count(`search=${words}&start_date=2001-01-01`), 1);
  assert.equal(await count(`search=${words}&min_confidence=0.5`), 0);
  const { body } = await client.get('/data/descriptions?limit=1&offset=1&source_types=single');
  assert.deepEqual([body.items.length, body.limit, body.offset], [1, 1, 1]);
  assert.deepEqual(body.filters_applied.source_types_filtered, ['single']);
  for (const wrong of [
    'limit=1001',
    'source_types=fax',
    'min_confidence=2',
    'start_date=2026-02-01&end_date=2026-01-01',
  ])
    assert.equal((await client.get(`/data/descriptions?${wrong}`)).status, 422, wrong);
});

test('the history is exported in each format', async () => {
  const filter = { search_terms: ['港口'], source_types: ['single'] };
  const { record, text } = await historyExport({ data_type: 'descriptions', format: 'jsonl', ...filter });
  assert.equal(record.record_count, 1);
  assert.deepEqual([record.progress.percent, record.error_message], [100, null]);
  const item = JSON.parse(text);
  assert.deepEqual([item.image_id, item.status, item.metadata.title], [files[5], 'completed', TITLES[5]]);
  const [listed] = (await client.get(`/data/descriptions?search=${encodeURIComponent('港口')}`)).body.items;
  assert.deepEqual(
    [item.id, item.created_at, item.description],
    [listed.id, listed.created_at, listed.description],
  );

  const json = await historyExport({
    format: 'json',
    limit: 2,
    fields: ['id', 'created_at'],
    include_metadata: false,
  });
  const records = JSON.parse(json.text);
  assert.equal(records.length, 2);
  assert.deepEqual(Object.keys(records[0]), ['id', 'created_at']);

  const csv = await historyExport({ format: 'csv', ...filter, fields: ['image_id', 'description'] });
  const [header, line] = csv.text.split('\r\n');
  assert.match(header ?? '', /^image_id,description,filename,title,tags/);
  assert.match(line ?? '', new RegExp(`^${files[5]},"`));
  const none = await historyExport({ format: 'json', search_terms: [randomUUID()] });
  assert.deepEqual(JSON.parse(none.text), []);
});

test('files that could not be described are exported on request, with the reason', async () => {
  const broken = await client.ingest({
    bytes: demoImage('rocket.jpg').subarray(0, 3000),
    filename: 'broken.jpg',
  });
  assert.equal((await client.settled(broken)).primary_status, 'failed');
  const wanted = { format: 'jsonl', include_metadata: false };
  const lines = async (body: Json) =>
    (await historyExport({ ...wanted, ...body })).text
      .trim()
      .split('\n')
      .map((line): Json => JSON.parse(line))
      .filter(({ image_id: id }) => id === broken);
  assert.deepEqual(await lines({}), []);
  const [line] = await lines({ include_failed: true });
  assert.deepEqual([line?.status, line?.description], ['failed', null]);
  assert.match(line?.error_message, /cannot be decoded|damaged|broken/);
});

test('discarding an export deletes its file, and its record says so', async () => {
  const { record } = await historyExport({ format: 'jsonl', limit: 1 });
  const again = await client.get(`/data/export/${record.export_id}`);
  assert.notEqual(again.body.download_url, null);
  const { status, body } = await client.delete(`/data/export/${record.export_id}`);
  assert.deepEqual([status, body.status, body.download_url, body.expires_at], [200, 'completed', null, null]);
  assert.equal((await fetch(record.download_url)).status, 404);
});

test('exports are listed newest first, page by page, to their own account', async () => {
  const { record: older } = await historyExport({ format: 'jsonl', limit: 1 });
  const { record: newer } = await historyExport({ format: 'csv', limit: 1 });
  const ids = async (query: string, by = client): Promise<string[]> =>
    (await by.get(`/data/export?${query}`)).body.items.map(({ export_id: id }: Json) => id);
  const { status, body } = await client.get('/data/export?limit=100');
  assert.equal(status, 200);
  const listed = body.items.find(({ export_id: id }: Json) => id === newer.export_id);
  assert.deepEqual(
    [listed.status, listed.format, listed.record_count, listed.created_at],
    ['completed', 'csv', newer.record_count, newer.created_at],
  );
  assert.equal((await fetch(listed.download_url)).status, 200);
  const all = await ids('limit=100');
  assert.ok(all.indexOf(newer.export_id) < all.indexOf(older.export_id));
  const paged = [...(await ids('limit=1')), ...(await ids('limit=1&offset=1'))];
  assert.equal(new Set(paged).size, 2);
  const stranger = createClient(run, run.tenants.starter.api_key);
  assert.ok(!(await ids('limit=100', stranger)).includes(newer.export_id));
  assert.equal((await client.get('/data/export?limit=0')).status, 422);
});
