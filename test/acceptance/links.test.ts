import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { createClient, eventually, sharedRun, type Json } from '../support/api.ts';
import { minimalPdf } from '../support/documents.ts';
import { uniqueImage } from '../support/images.ts';
import { article, articleHtml } from '../support/web-pages.ts';
import { pages, startWebSite } from '../support/web-site.ts';

const client = createClient(sharedRun());
const site = await startWebSite('127.0.0.1');
const internal = await startWebSite('127.0.0.2');
after(() => Promise.all([site.stop(), internal.stop()]));

const UNDESCRIBED = { auto_describe: false };

async function add(url: string, fields: Json = UNDESCRIBED): Promise<Json> {
  const { status, body } = await client.post('/files/links', { url, ...fields });
  assert.equal(status, 202, JSON.stringify(body));
  return body;
}

site.serve(
  '/robots.txt',
  pages.of(Buffer.from('User-agent: *\nDisallow: /\n\nUser-agent: Darkroom\nDisallow: /private\n')),
);

test('a page becomes a searchable file with its text, metadata, images and preview', async () => {
  const word = `xylograph${randomUUID().slice(0, 8)}`;
  site.serve('/cover.png', pages.of(await uniqueImage(400, 300), { 'content-type': 'image/png' }));
  const head = `<meta property="og:image" content="/cover.png"><meta property="og:description" content="On lamps">
    <meta property="og:site_name" content="The Tower"><link rel="icon" href="/i.ico"><link rel="canonical" href="/page">
    <script type="application/ld+json">{"@type":"Article","author":{"name":"A. Keeper"}}</script>`;
  const body =
    '<img src="/second.png" width="640" height="480" alt="the second"><img src="/dot.gif" width="1">';
  site.serve('/page?id=1', article({ title: 'Lamps at night', words: word, head, body }));
  const added = await add(site.url('/page?utm_source=x&id=1#top'), { tags: ['tower'] });
  assert.deepEqual([added.media_type, added.status, added.existing_file_id], ['link', 'processing', null]);
  assert.equal(added.source_url, site.url('/page?id=1'));
  const file = await client.settled(added.file_id);
  assert.deepEqual(
    [file.primary_status, file.crawl_status, file.variant_status, file.description_status],
    ['completed', 'completed', 'completed', 'completed'],
    file.explanation,
  );
  assert.deepEqual(
    [file.title, file.description, file.site_name, file.author, file.language, file.domain],
    ['Lamps at night', 'On lamps', 'The Tower', 'A. Keeper', 'en', '127.0.0.1'],
  );
  assert.deepEqual(
    [file.canonical_url, file.favicon_url, file.structured_types, file.og_metadata['og:site_name']],
    [site.url('/page'), site.url('/i.ico'), ['Article'], 'The Tower'],
  );
  assert.deepEqual(file.extracted_images, [
    { url: site.url('/cover.png'), alt: null, width: null, height: null },
    { url: site.url('/second.png'), alt: 'the second', width: 640, height: 480 },
  ]);
  assert.deepEqual([file.dimensions, file.variant_count > 0], [{ width: 400, height: 300 }, true]);
  assert.ok(file.text.includes(word) && file.text.includes('- one lamp'), file.text);
  assert.ok(!file.text.includes('About us') && !file.text.includes('Imprint'), file.text);
  assert.match(file.upload_description, /Web page "Lamps at night"/);

  const { body: found } = await client.post('/files/search', { query: word });
  const [hit] = found.items;
  // A web page is cited by its URL, since its text has no page numbers.
  assert.deepEqual(
    [hit?.document_id, hit?.source_url, hit?.page_numbers],
    [added.file_id, site.url('/page?id=1'), []],
  );
  const { body: listed } = await client.get(`/files?media_types=link&search=${word}`);
  assert.deepEqual(
    listed.items.map((item: Json) => [item.id, item.source_url, item.domain, item.extracted_images]),
    [[added.file_id, site.url('/page?id=1'), '127.0.0.1', file.extracted_images]],
  );
  const { body: text } = await client.get(`/files/${added.file_id}/text`);
  assert.equal(text.text, file.text);
  const { body: chunks } = await client.get(`/files/${added.file_id}/chunks`);
  assert.ok(chunks.total_chunks > 0);
  const original = await client.follow(`/files/${added.file_id}/download`);
  assert.equal(original.bytes.toString(), `${site.url('/page?id=1')}\r\n`);
  const { body: status } = await client.get(`/files/${added.file_id}/processing-status`);
  assert.deepEqual(
    [status.source_url, status.page_title, status.crawled_at, Object.keys(status.components)],
    [site.url('/page?id=1'), 'Lamps at night', file.crawled_at, ['crawl', 'variant', 'description']],
  );
  for (const path of ['digitization', 'digitization/pages/1', 'digitization/status']) {
    const answer = await client.get(`/files/${added.file_id}/${path}`);
    assert.deepEqual([answer.status, answer.body.code], [400, 'WRONG_MEDIA_TYPE'], path);
  }
});

test('a page that cannot be read ends failed, with the reason', async () => {
  site.serve('/private', article({ title: 'Secret' }));
  site.serve('/loop', pages.redirect('/loop'));
  site.serve('/inside', pages.redirect(internal.url('/')));
  site.serve('/to-private', pages.redirect('/private'));
  site.serve('/binary', pages.of(Buffer.from([0, 1, 2, 3]), { 'content-type': 'application/x-thing' }));
  site.serve('/huge', pages.endless(Buffer.from('<html><body>')));
  site.serve('/gone', pages.error(410));
  site.serve('/login', pages.error(403));
  const expected = {
    '/private': /robots\.txt of the site does not allow/,
    '/to-private': /robots\.txt of the site does not allow/,
    '/loop': /redirects more than 5 times/,
    '/inside': /an address that is not public/,
    '/binary': /neither a page.*: application\/x-thing/,
    '/huge': /more than 10 MB/,
    '/gone': /the page is gone/,
    '/login': /does not show the page/,
    '/nothing': /there is no such page/,
  };
  const added = await Promise.all(Object.keys(expected).map((path) => add(site.url(path))));
  for (const [at, [path, reason]] of Object.entries(expected).entries()) {
    const file = await client.settled(added[at].file_id, 90);
    assert.deepEqual(
      [file.primary_status, file.crawl_status, file.variant_status],
      ['failed', 'failed', 'skipped'],
      path,
    );
    assert.match(file.crawl_error, reason, path);
    assert.match(file.explanation, /^Crawl failed: /);
  }
  assert.deepEqual([internal.requests, site.requests.includes('/private')], [[], false]);
  for (const url of ['ftp://x.org/', 'x', 'http://a:b@x.org/', `http://x.org/${'a'.repeat(2100)}`])
    assert.equal((await client.post('/files/links', { url })).status, 422, url);
});

test('a URL whose host is a private address, in any spelling, is refused at once', async () => {
  const inward = [
    'http://127.0.0.2/',
    'http://127.2/',
    'http://2130706434/',
    'http://0x7f000002/',
    'http://0177.0.0.2/',
    'http://127.0.0.2./',
    'http://①②⑦.0.0.2/',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[fd00:ec2::254]/',
    'http://[64:ff9b::10.0.0.1]/',
    'https://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://168.63.129.16/',
  ];
  for (const url of inward) {
    const { status, body } = await client.post('/files/links', { url });
    assert.deepEqual([status, body.errors?.[0]?.pointer], [422, '/body/url'], JSON.stringify([url, body]));
    assert.match(body.errors[0].message, /not a public address/);
  }
  site.serve('/beside', article({ title: 'Beside' }));
  const { status, body } = await client.post('/files/links/batch', {
    links: [{ url: site.url('/beside') }, ...inward.map((url) => ({ url }))],
  });
  assert.equal(status, 202, JSON.stringify(body));
  assert.deepEqual(
    body.rejections.map((rejected: Json) => [rejected.index, rejected.code]),
    inward.map((_url, at) => [at + 1, 'URL_ADDRESS_REFUSED']),
  );
  assert.deepEqual(internal.requests, []);
});

test('a temporary error is retried after the Retry-After of the site, and a page is read in any encoding', async () => {
  let asked = 0;
  const html = articleHtml({ title: 'Größe und Maß', words: 'Übermaß' });
  site.serve('/busy', (response) => {
    asked += 1;
    if (asked === 1) return void response.writeHead(503, { 'retry-after': '1' }).end();
    response
      .writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' })
      .end(Buffer.from(html, 'latin1'));
  });
  const file = await client.settled((await add(site.url('/busy'))).file_id);
  assert.deepEqual([file.crawl_status, file.title, asked], ['completed', 'Größe und Maß', 2]);
  assert.ok(file.text.includes('Übermaß'));
});

test('a page that moves by itself is read where it leads to, and a page without text says so', async () => {
  const html = (text: string) => pages.of(Buffer.from(text), { 'content-type': 'text/html; charset=utf-8' });
  const refresh = (content: string) => html(`<meta http-equiv="refresh" content="${content}"><p>Moved`);
  site.serve('/leads', refresh("0; URL='leads/again'"));
  site.serve('/leads/again', refresh('3;url=/arrived'));
  site.serve('/arrived', html('<title>Arrived</title><meta http-equiv=refresh content="600"><p>Here it is.'));
  site.serve('/reloads', refresh('5; url=/reloads'));
  site.serve('/away', refresh('0; url=/away2'));
  site.serve('/away2', refresh('0; url=/away'));
  site.serve('/inwards', refresh(`0; url=${internal.url('/')}`));
  site.serve('/later', refresh('900; url=/arrived'));
  site.serve('/app', html('<title>App</title><div id=root></div><script>x=1</script>'));
  site.serve('/blank', html('<title>Blank</title>'));
  site.serve('/guessed', pages.of(Buffer.from('<p>Gr\xf6\xdfe', 'latin1'), { 'content-type': 'text/html' }));
  const read = async (path: string) => {
    const { file_id: id } = await add(site.url(path));
    const file = await client.settled(id);
    return [file.primary_status, file.canonical_url, file.text, file.reading_note];
  };
  const here = 'Arrived\n\nHere it is.';
  assert.deepEqual(await read('/leads'), ['completed', site.url('/arrived'), here, null]);
  for (const path of ['/reloads', '/later', '/away'])
    assert.deepEqual((await read(path)).slice(2), ['Moved', null], path);
  assert.equal((await read('/inwards'))[0], 'failed');
  assert.deepEqual((await read('/app')).slice(2), [
    'App',
    'The page has no readable text without JavaScript.',
  ]);
  assert.equal((await read('/blank'))[3], 'The page has no readable text.');
  assert.deepEqual((await read('/guessed')).slice(2), [
    'Größe',
    'The text does not name its encoding; it was read as windows-1252.',
  ]);
});

test('a page that has not changed keeps its content when it is crawled again', async () => {
  const conditions: (string | undefined)[] = [];
  let title = 'First edition';
  site.serve('/edition', (response, request) => {
    conditions.push(request.headers['if-none-match']);
    const etag = `"${title}"`;
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
    response.writeHead(200, { 'content-type': 'text/html', etag }).end(articleHtml({ title }));
  });
  const { file_id: id } = await add(site.url('/edition'));
  const first = await client.settled(id);
  const again = async () => {
    const { status, body } = await client.post(`/files/${id}/retry`, { components: ['crawl'] });
    assert.equal(status, 202, JSON.stringify(body));
    return client.settled(id);
  };
  const same = await again();
  assert.deepEqual([same.page_title, same.changed_at], ['First edition', first.changed_at]);
  assert.ok(same.crawled_at > first.crawled_at);
  title = 'Second edition';
  const changed = await again();
  assert.deepEqual([changed.page_title, changed.crawl_status], ['Second edition', 'completed']);
  assert.ok(changed.changed_at > first.changed_at && changed.text.includes('Second edition'));
  assert.deepEqual(conditions, [undefined, '"First edition"', '"First edition"']);
});

test('a link to something other than a page becomes a file of that medium, which keeps the URL', async () => {
  const word = `palimpsest${randomUUID().slice(0, 8)}`;
  const head = '<meta property="og:image" content="/face.png">';
  site.serve('/face.png', pages.of(await uniqueImage(), { 'content-type': 'image/png' }));
  site.serve('/turns', article({ title: 'Turns', words: word, head }));
  site.serve('/notes.log', pages.of(Buffer.from(`a note ${word}`), { 'content-type': 'text/plain' }));
  const turns = await add(site.url('/turns'));
  const notes = await add(site.url('/notes.log'));
  assert.ok((await client.settled(turns.file_id)).variant_count > 0);
  site.serve('/turns', pages.of(minimalPdf([`Turned ${randomUUID()}`])));
  const { status: reopened } = await client.post(`/files/${turns.file_id}/retry`, { components: ['crawl'] });
  assert.equal(reopened, 202);
  const pdf = minimalPdf([`Invoice ${randomUUID()}`]);
  site.serve('/paper.pdf', pages.of(pdf, { 'content-type': 'text/html' }));
  site.serve('/photo', pages.of(await uniqueImage(), { 'content-type': 'image/png' }));
  const [paper, photo] = await Promise.all(['/paper.pdf', '/photo'].map((path) => add(site.url(path))));
  const became = (id: string, medium: string): Promise<Json> =>
    eventually(async () => {
      const file = await client.settled(id);
      assert.equal(file.media_type, medium, file.explanation);
      return file;
    }, 90);
  const document = await became(paper.file_id, 'document');
  assert.deepEqual(
    [document.filename, document.primary_status, document.source_url, document.document_type],
    ['paper.pdf', 'completed', site.url('/paper.pdf'), 'pdf'],
  );
  assert.deepEqual((await client.follow(`/files/${paper.file_id}/download`)).bytes, pdf);
  const image = await became(photo.file_id, 'image');
  assert.deepEqual([image.primary_status, image.source_url], ['completed', site.url('/photo')]);
  const note = await became(notes.file_id, 'document');
  assert.deepEqual(
    [note.filename, note.document_type, note.extracted_text],
    ['notes.log', 'txt', `a note ${word}`],
  );
  const turned = await became(turns.file_id, 'document');
  assert.deepEqual([turned.title, turned.primary_status, turned.page_count], ['turns', 'completed', 1]);
  assert.match(turned.extracted_text, /^Turned/);
  const { body: found } = await client.post('/files/search', { query: word });
  assert.equal(found.items[0]?.document_id, notes.file_id);
  const { body: left } = await client.post('/files/search', { query: word, document_ids: [turns.file_id] });
  assert.ok(
    left.items.every(({ content }: Json) => content.startsWith('Turned')),
    JSON.stringify(left),
  );
  const { body: listed } = await client.get(`/files?search=${word}`);
  assert.deepEqual(
    listed.items.map(({ id }: Json) => id),
    [notes.file_id],
  );

  const again = await add(site.url('/paper.pdf#page=2'), { ...UNDESCRIBED, skip_duplicates: true });
  assert.deepEqual([again.status, again.existing_file_id], ['skipped', paper.file_id]);
});

test('with skip_duplicates links to the same page are duplicates, and a batch of links is an upload session', async () => {
  const head = '<link rel="canonical" href="/canonical">';
  for (const path of ['/copy', '/other-copy']) site.serve(path, article({ title: 'One page', head }));
  site.serve('/moved', pages.redirect('/copy'));
  const first = await add(site.url('/moved'));
  await client.settled(first.file_id);
  const skip = { ...UNDESCRIBED, skip_duplicates: true };
  for (const path of ['/moved#part', '/copy']) {
    const { status, existing_file_id: id } = await add(site.url(path), skip);
    assert.deepEqual([status, id], ['skipped', first.file_id], path);
  }
  const key = randomUUID();
  const send = () =>
    client.request('POST', '/files/links/batch', {
      body: JSON.stringify({
        ...skip,
        links: ['/copy', '/other-copy', '/batch'].map((path) => ({ url: site.url(path) })),
      }),
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    });
  site.serve('/batch', article({ title: 'In a batch' }));
  const { status, body } = await send();
  assert.deepEqual([status, body.total_files, body.accepted_files], [202, 3, 3], JSON.stringify(body));
  const session = await client.sessionEnded(body.session_id);
  assert.deepEqual(
    [session.completed_files, session.failed_files, session.skipped_files],
    [1, 0, 2],
    JSON.stringify(session),
  );
  const [, late] = body.immediate_results;
  const duplicate = (await client.get(`/files/${late.file_id}`)).body;
  assert.deepEqual(
    [duplicate.crawl_error, duplicate.existing_file_id],
    [`the page already exists as file ${first.file_id}`, first.file_id],
  );
  const again = await send();
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.deepEqual(
    [again.body.session_id, again.body.immediate_results.map(({ file_id: id }: Json) => id)],
    [body.session_id, body.immediate_results.map(({ file_id: id }: Json) => id)],
  );
});
