import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient, eventually, sharedRun } from '../support/api.ts';
import { minutes } from '../support/documents.ts';
import { uniqueImage } from '../support/images.ts';
import { pages, startWebSite, type WebSite } from '../support/web-site.ts';

const run = sharedRun();
const client = createClient(run);
let site: WebSite;

before(async () => {
  site = await startWebSite('127.0.0.1');
});
after(() => site.stop());

async function sendFile(path: string, bytes: Uint8Array, fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([bytes]), 'image.jpg');
  return client.request('POST', path, { body: form });
}

/** A page with a new image; returns its URL. */
async function newPage(name: string): Promise<{ url: string; bytes: Buffer }> {
  const bytes = await uniqueImage();
  site.serve(name, pages.of(bytes, { 'content-type': 'text/plain' }));
  return { url: site.url(name), bytes };
}

const jobEnded = (id: string) =>
  eventually(async () => {
    const { status, body } = await client.get(`/job/${id}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.notEqual(body.status, 'processing');
    return body;
  });

test('null means the same as no field', async () => {
  const given = { base64: (await uniqueImage()).toString('base64') };
  const absent = { url: null, content_category: null, skip_duplicates: null, timeout: null };
  const { status, body } = await client.post('/images/analyze', { ...given, ...absent });
  assert.deepEqual([status, body.status], [200, 'completed'], JSON.stringify(body));
  const started = await client.post('/images/analyze/async', { ...given, ...absent });
  assert.equal(started.status, 202, JSON.stringify(started.body));
  const none = await client.post('/images/analyze', { ...absent, base64: null });
  assert.deepEqual([none.status, none.body.errors[0].pointer], [422, '/body/url']);
});

test('an image is analyzed as a file, by its URL and as base64', async () => {
  const bytes = await uniqueImage();
  const sources = [
    await sendFile('/images/analyze', bytes),
    await client.post('/images/analyze', { url: (await newPage('/holiday.jpg')).url }),
    await client.post('/images/analyze', { base64: (await uniqueImage()).toString('base64') }),
    await client.post('/images/analyze', {
      base64: `data:image/jpeg;base64,${(await uniqueImage()).toString('base64')}`,
    }),
  ];
  for (const { status, body } of sources) {
    assert.deepEqual([status, body.status], [200, 'completed'], JSON.stringify(body));
    assert.deepEqual(Object.keys(body).toSorted(), [
      'confidence_score',
      'description',
      'image_id',
      'metadata',
      'processing_time_ms',
      'status',
      'tags',
      'visible_text',
    ]);
    assert.match(body.description, /Described from measurements/);
    assert.ok(body.tags.length > 0);
    assert.equal(body.confidence_score, null);
    const { width, height, ...rest } = body.metadata;
    assert.ok(width > 0 && height > 0);
    const { body: file } = await client.get(`/files/${body.image_id}`);
    const { format, content_type, media_type, size_bytes } = file;
    assert.deepEqual(rest, { format, content_type, media_type, size_bytes });
    assert.deepEqual([format, content_type, media_type], ['jpeg', 'image/jpeg', 'image']);
    assert.equal(file.content_category, 'general');
  }
  const { body: fetched } = await client.get(`/files/${sources[1]?.body.image_id}`);
  assert.equal(fetched.filename, 'holiday.jpg');
});

test('a duplicate is skipped, wherever its bytes come from', async () => {
  const { url, bytes } = await newPage('/twice.png');
  const first = await sendFile('/images/analyze', bytes);
  const same = { skip_duplicates: true };
  const answers = [
    await sendFile('/images/analyze', bytes, { skip_duplicates: 'true' }),
    await client.post('/images/analyze', { url, ...same }),
    await client.post('/images/analyze', { base64: bytes.toString('base64'), ...same }),
  ];
  for (const { status, body } of answers) {
    assert.deepEqual([status, body.status, body.image_id], [200, 'skipped', first.body.image_id]);
    assert.deepEqual(Object.keys(body).toSorted(), ['image_id', 'processing_time_ms', 'status']);
  }
  const { body: started } = await client.post('/images/analyze/async', { url, ...same });
  const job = await jobEnded(started.job_id);
  assert.deepEqual(
    [job.job_id, job.status, job.results[0].image_id],
    [started.job_id, 'completed', first.body.image_id],
  );
});

test('a background analysis can be polled as a job immediately', async () => {
  const { url } = await newPage('/later.png');
  const base64 = (await uniqueImage()).toString('base64');
  for (const answer of [
    await sendFile('/images/analyze/async', await uniqueImage()),
    await client.post('/images/analyze/async', { url }),
    await client.post('/images/analyze/async', { base64 }),
  ]) {
    const { status, body } = answer;
    assert.deepEqual([status, body.status, body.poll_url], [202, 'processing', `/api/v2/job/${body.job_id}`]);
    const { status: found, body: first } = await client.get(`/job/${body.job_id}`);
    assert.deepEqual([found, first.job_type, first.progress], [200, 'image', null], JSON.stringify(first));
    const job = await jobEnded(body.job_id);
    assert.equal(job.status, 'completed');
    assert.ok(Date.parse(job.completed_at) >= Date.parse(job.created_at));
    const [result] = job.results;
    assert.deepEqual([result.image_id, result.status], [body.job_id, 'completed']);
    assert.match(result.description, /Described from measurements/);
    assert.deepEqual([result.visible_text, result.confidence_score], [null, null]);
  }
});

test('the category auto is replaced by the detected one', async () => {
  const answers = [
    await sendFile('/images/analyze', await uniqueImage(), { content_category: 'auto' }),
    await client.post('/images/analyze', { url: (await newPage('/any.png')).url, content_category: 'auto' }),
  ];
  for (const { body } of answers) {
    assert.equal(body.status, 'completed', JSON.stringify(body));
    const { body: file } = await client.get(`/files/${body.image_id}`);
    // Measurements give no narrower category for an image without text.
    assert.equal(file.content_category, 'general');
  }
  const upload = await client.upload({ bytes: await uniqueImage(), fields: { content_category: 'auto' } });
  assert.deepEqual([upload.status, upload.body.code], [422, 'VALIDATION_FAILED']);
});

test('an unusable image fails with the reason', async () => {
  const broken = (await uniqueImage()).subarray(0, 200);
  const { status, body } = await sendFile('/images/analyze', broken);
  assert.deepEqual([status, body.status, body.poll_url], [200, 'failed', `/api/v2/job/${body.job_id}`]);
  assert.ok(body.error.length > 0 && body.image_id === body.job_id && body.processing_time_ms >= 0);
  const job = await jobEnded(body.job_id);
  assert.deepEqual([job.status, job.error_message], ['failed', body.error]);
  assert.ok(job.completed_at);

  site.serve('/page.png', pages.of(Buffer.from('<!doctype html><p>Hello')));
  site.serve('/paper.png', pages.of(Buffer.from(minutes)));
  site.serve('/empty.png', pages.of(Buffer.alloc(0)));
  site.serve('/out.png', pages.redirect('http://169.254.169.254/latest/meta-data/'));
  site.serve('/round.png', pages.redirect('/round.png'));
  site.serve('/huge.png', pages.of(broken, { 'content-length': String(100 * 1024 * 1024 + 1) }));
  for (const [url, reason] of [
    [site.url('/page.png'), /not an image of an accepted type/],
    [site.url('/paper.png'), /not an image of an accepted type/],
    [site.url('/empty.png'), /empty/],
    [site.url('/none.png'), /answered 404/],
    [site.url('/out.png'), /not public/],
    [site.url('/round.png'), /more than 5 times/],
    [site.url('/huge.png'), /more than 100 MB/],
  ] as const) {
    const answer = await client.post('/images/analyze', { url });
    assert.deepEqual([answer.status, answer.body.status], [200, 'failed'], JSON.stringify(answer.body));
    assert.match(answer.body.error, reason, url);
    const { body: failed } = await client.get(`/job/${answer.body.job_id}`);
    assert.deepEqual([failed.status, failed.error_message], ['failed', answer.body.error]);
    // An image that could not be fetched has no file.
    assert.equal((await client.get(`/files/${answer.body.image_id}`)).status, 404);
  }
  for (const url of ['http://127.0.0.2/', 'http://[::1]/', 'http://2852039166/', 'https://10.0.0.1/'])
    for (const path of ['/images/analyze', '/images/analyze/async']) {
      const answer = await client.post(path, { url });
      assert.deepEqual([answer.status, answer.body.errors?.[0]?.pointer], [422, '/body/url'], url);
      assert.match(answer.body.errors[0].message, /not a public address/, url);
    }
});

test('a site that answers with errors is requested three times', async () => {
  site.serve('/away.png', pages.error(503));
  const { body } = await client.post('/images/analyze', { url: site.url('/away.png'), timeout: 60 });
  assert.deepEqual([body.status, body.error], ['failed', 'the site answered 503, 3 times']);
  assert.equal(site.requests.filter((path) => path === '/away.png').length, 3);

  const bytes = await uniqueImage();
  let asked = 0;
  site.serve('/again.png', (response) => {
    asked += 1;
    if (asked === 1) response.writeHead(500).end();
    else response.end(bytes);
  });
  const again = await client.post('/images/analyze', { url: site.url('/again.png') });
  assert.equal(again.body.status, 'completed', JSON.stringify(again.body));
});

test('a client whose timeout passes first gets the job', async () => {
  const bytes = await uniqueImage();
  let finish: () => void = () => undefined;
  site.serve('/slow.png', (response) => {
    response.writeHead(200).write(bytes.subarray(0, 50));
    finish = () => response.end(bytes.subarray(50));
  });
  const { status, body } = await client.post('/images/analyze', { url: site.url('/slow.png'), timeout: 5 });
  assert.deepEqual([status, body.status], [200, 'processing'], JSON.stringify(body));
  assert.deepEqual([body.job_id, body.poll_url], [body.image_id, `/api/v2/job/${body.image_id}`]);
  finish();
  assert.equal((await jobEnded(body.job_id)).status, 'completed');
});

test('invalid requests are refused', async () => {
  const base64 = (await uniqueImage()).toString('base64');
  const url = 'https://example.com/a.png';
  const table: [unknown, number, string][] = [
    [{}, 422, 'VALIDATION_FAILED'],
    [{ url, base64 }, 422, 'VALIDATION_FAILED'],
    [{ url, file: 'x' }, 422, 'VALIDATION_FAILED'],
    [{ url: '' }, 422, 'VALIDATION_FAILED'],
    [{ url: 'nonsense' }, 422, 'VALIDATION_FAILED'],
    [{ url: 'ftp://example.com/a.png' }, 422, 'VALIDATION_FAILED'],
    [{ url: 'file:///etc/passwd' }, 422, 'VALIDATION_FAILED'],
    [{ url: 'https://user:secret@example.com/a.png' }, 422, 'VALIDATION_FAILED'],
    [{ url: `https://example.com/${'a'.repeat(2048)}` }, 422, 'VALIDATION_FAILED'],
    [{ url: 7 }, 422, 'VALIDATION_FAILED'],
    [{ base64: '!!!' }, 400, 'INVALID_BASE64'],
    [{ base64: 'A' }, 400, 'INVALID_BASE64'],
    [{ base64: `${base64.slice(0, 4)}=${base64.slice(4)}` }, 400, 'INVALID_BASE64'],
    [{ base64: '' }, 400, 'INVALID_BASE64'],
    [{ base64: Buffer.from(minutes).toString('base64') }, 415, 'UNSUPPORTED_MEDIA'],
    [{ base64: Buffer.alloc(10 * 1024 * 1024 + 1).toString('base64') }, 413, 'FILE_TOO_LARGE'],
    [{ base64: 'A'.repeat(16 * 1024 * 1024) }, 413, 'FILE_TOO_LARGE'],
    [{ base64, timeout: 4 }, 422, 'VALIDATION_FAILED'],
    [{ base64, timeout: 121 }, 422, 'VALIDATION_FAILED'],
    [{ base64, timeout: 5.5 }, 422, 'VALIDATION_FAILED'],
    [{ base64, content_category: 'holiday' }, 422, 'VALIDATION_FAILED'],
    [{ base64, skip_duplicates: 'yes' }, 422, 'VALIDATION_FAILED'],
    [[], 422, 'VALIDATION_FAILED'],
  ];
  for (const path of ['/images/analyze', '/images/analyze/async']) {
    for (const [body, status, code] of table) {
      const answer = await client.post(path, body);
      const what = JSON.stringify(body).slice(0, 100);
      assert.deepEqual(
        [answer.status, answer.body.code],
        [status, code],
        `${path} ${what} ${JSON.stringify(answer.body)}`,
      );
    }
    const text = await client.request('POST', path, { body: 'x', headers: { 'Content-Type': 'text/plain' } });
    assert.deepEqual([text.status, text.body.code], [400, 'BAD_REQUEST']);
    const paper = await sendFile(path, Buffer.from(minutes));
    assert.deepEqual([paper.status, paper.body.code], [415, 'UNSUPPORTED_MEDIA']);
    const scan = await sendFile(path, Buffer.from('%PDF-1.4 '));
    assert.equal(scan.body.detail, 'PDF is not accepted here; send JPEG, PNG, WEBP, GIF, AVIF, HEIC or TIFF');
    for (const fields of [
      { url },
      { base64 },
      { timeout: '4' },
      { timeout: 'soon' },
      { content_category: 'x' },
    ]) {
      const answer = await sendFile(path, await uniqueImage(), fields);
      assert.deepEqual([answer.status, answer.body.code], [422, 'VALIDATION_FAILED'], JSON.stringify(fields));
    }
    const none = new FormData();
    none.append('timeout', '30');
    const answer = await client.request('POST', path, { body: none });
    assert.deepEqual([answer.status, answer.body.code], [422, 'VALIDATION_FAILED']);
  }
});

test('foreign and unknown jobs are not found', async () => {
  const { url } = await newPage('/mine.png');
  const { body } = await client.post('/images/analyze/async', { url });
  const stranger = createClient(run, run.tenants.starter.api_key);
  for (const id of [body.job_id, '6f7f3a80-3f0b-4c50-9d80-0c6f0f2b7a11', 'nonsense']) {
    const answer = await stranger.get(`/job/${id}`);
    assert.deepEqual([answer.status, answer.body.detail], [404, 'job not found'], id);
  }
  await jobEnded(body.job_id);
});
