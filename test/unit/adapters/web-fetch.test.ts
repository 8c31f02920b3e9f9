import assert from 'node:assert/strict';
import dns from 'node:dns';
import { after, before, mock, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { webFetchConfig } from '../../../adapters/web-fetch/config.ts';
import { WebFetchError, type WebFetchCode } from '../../../adapters/web-fetch/web-fetch-error.ts';
import { createWebFetch } from '../../../adapters/web-fetch/web-fetch.ts';
import { parseWebUrl } from '../../../adapters/web-fetch/web-url.ts';
import { pages, startWebSite, type Page, type WebSite } from '../../support/web-site.ts';

const MAX_BYTES = 1024 * 1024;
const config = (allowed: string, seconds = 20) =>
  webFetchConfig.parse({ WEB_FETCH_ALLOWED_NETWORKS: allowed, WEB_FETCH_SECONDS: seconds });

/** Reachable site whose redirects lead to forbidden addresses. */
let site: WebSite;
/** A server in the internal network, which must not get any connection. */
let internal: WebSite;
let internal6: WebSite | undefined;

before(async () => {
  site = await startWebSite('127.0.0.1');
  // 127.0.0.2 is refused by a guard that allows nothing and by one that allows only the site.
  internal = await startWebSite('127.0.0.2');
  internal6 = await startWebSite('::1').catch(() => undefined);
});
after(() => Promise.all([site.stop(), internal.stop(), internal6?.stop()]));

async function read(url: string, { allowed = '127.0.0.1', seconds = 20, maxBytes = MAX_BYTES } = {}) {
  const { signal } = new AbortController();
  const content = await createWebFetch(config(allowed, seconds)).open(url, { maxBytes, signal });
  return Buffer.concat(await content.toArray());
}

async function refused(url: string, code: WebFetchCode, options: Parameters<typeof read>[1] = {}) {
  await assert.rejects(read(url, options), (error) => {
    assert.ok(error instanceof WebFetchError, `${url}: ${String(error)}`);
    assert.equal(error.code, code, `${url}: ${error.message}`);
    return true;
  });
}

/** Spellings of the address of the site, and names that resolve to it. */
const OURS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7F.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '①②⑦.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'foo.localhost',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
];

/** Other private and reserved addresses, in many spellings. */
const ELSEWHERE = [
  '127.0.0.2',
  '127.2',
  '2130706434',
  '0x7f000002',
  '0177.0.0.2',
  '0',
  '0.0.0.0',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::ffff:127.0.0.2]',
  '[::ffff:0:127.0.0.2]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2001::1]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254',
  '2852039166',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '0xa83f8110',
  '[::ffff:168.63.129.16]',
];

test('no packet is sent to a private address in any spelling', async () => {
  const ports = [site, internal, internal6].flatMap((one) => one?.port ?? []);
  for (const host of [...OURS, ...ELSEWHERE]) {
    for (const port of ports) {
      const error = await read(`http://${host}:${port}/secret`, { allowed: '' }).then(
        () => assert.fail(`${host} was read`),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof WebFetchError, `${host}: ${String(error)}`);
      // A name that does not resolve on this machine is not reached either.
      assert.match(error.code, /^URL_(ADDRESS_REFUSED|INVALID|UNREACHABLE)$/, host);
      if (/^[\d.[]/.test(host)) assert.equal(error.code, 'URL_ADDRESS_REFUSED', host);
    }
  }
  for (const one of [site, internal, internal6]) assert.equal(one?.connections() ?? 0, 0);
});

test('a redirect to a private address or another scheme is refused', async () => {
  for (const [at, host] of ELSEWHERE.entries()) {
    const status = [301, 302, 303, 307, 308][at % 5];
    site.serve(`/to/${at}`, pages.redirect(`http://${host}:${internal.port}/secret`, status));
    await refused(site.url(`/to/${at}`), 'URL_ADDRESS_REFUSED');
  }
  for (const target of [
    'file:///etc/passwd',
    'ftp://127.0.0.2/',
    'gopher://127.0.0.2/',
    'data:image/png;base64,AAAA',
    'javascript:1',
    `http://user:secret@127.0.0.1:${site.port}/`,
    'http://',
  ]) {
    site.serve('/scheme', pages.redirect(target));
    await refused(site.url('/scheme'), 'URL_INVALID');
  }
  assert.equal(internal.connections(), 0);
  assert.equal(internal6?.connections() ?? 0, 0);
});

/** Mocks name resolution: each lookup returns the next of these answers, the last one repeatedly. */
function resolveTo(...answers: string[][]) {
  let asked = 0;
  const found: (typeof dns)['lookup'] = ((_host: string, _options: unknown, done: Found) => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
    process.nextTick(
      done,
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
  }) as typeof dns.lookup;
  const mocked = mock.method(dns, 'lookup', found);
  return { asked: () => asked, restore: () => mocked.mock.restore() };
}
type Found = (error: null, addresses: { address: string; family: number }[]) => void;

test('a request connects to the checked address even if the name is rebound in between', async () => {
  site.serve('/rebound', pages.of(Buffer.from('public')));
  const names = resolveTo(['127.0.0.1'], ['127.0.0.2']);
  try {
    const url = `http://rebinding.example:${site.port}/rebound`;
    assert.equal((await read(url)).toString(), 'public');
    assert.equal(names.asked(), 1);
    // A new connection checks the new address.
    await refused(url, 'URL_ADDRESS_REFUSED');
  } finally {
    names.restore();
  }
  assert.equal(internal.connections(), 0);
});

test('a name with a private address besides a public one is refused', async () => {
  const names = resolveTo(['127.0.0.1', '127.0.0.2']);
  try {
    await refused(`http://both.example:${internal.port}/`, 'URL_ADDRESS_REFUSED');
  } finally {
    names.restore();
  }
  assert.equal(internal.connections(), 0);
});

test('URLs with other schemes or credentials are refused by their text', () => {
  for (const url of [
    '',
    'nonsense',
    '/etc/passwd',
    '//x',
    'file:///etc/passwd',
    'ftp://a/b',
    'http://',
    'http://a b/',
    'http://u:p@a/',
    'https://u@a/',
    'http:\\\\:x',
  ]) {
    assert.throws(() => parseWebUrl(url), WebFetchError, url);
  }
  assert.equal(parseWebUrl('HTTP://0x7f.1/a').href, 'http://127.0.0.1/a');
});

test('up to five redirects are followed', async () => {
  site.serve('/hop/0', pages.of(Buffer.from('there')));
  for (let hop = 1; hop <= 6; hop += 1) site.serve(`/hop/${hop}`, pages.redirect(`/hop/${hop - 1}`));
  assert.equal((await read(site.url('/hop/5'))).toString(), 'there');
  await refused(site.url('/hop/6'), 'URL_TOO_MANY_REDIRECTS');
  site.serve('/loop', pages.redirect('/loop'));
  await refused(site.url('/loop'), 'URL_TOO_MANY_REDIRECTS');
});

test('a request has no headers besides the necessary ones', async () => {
  site.serve('/headers', (response, request) => response.end(JSON.stringify(request.headers)));
  site.serve('/from', pages.redirect('/headers'));
  const headers = JSON.parse((await read(site.url('/from'))).toString());
  assert.deepEqual(Object.keys(headers).toSorted(), [
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
});

test('the time limit for a site excludes the wait for admission', async () => {
  site.serve('/waited', pages.of(Buffer.from('content')));
  site.serve('/waits', pages.redirect('/waited'));
  const content = await createWebFetch(config('127.0.0.1', 1)).open(site.url('/waits'), {
    maxBytes: MAX_BYTES,
    signal: new AbortController().signal,
    admit: () => setTimeout(1_100),
  });
  assert.equal(Buffer.concat(await content.toArray()).toString(), 'content');
});

test('conditional headers are sent only to the URL for which they hold, not to other targets of a redirect', async () => {
  const seen: Record<string, unknown> = {};
  const note: (page: Page) => Page = (page) => (response, request) => {
    seen[request.url ?? ''] = request.headers['if-none-match'];
    page(response, request);
  };
  site.serve('/known', note(pages.error(304)));
  site.serve('/leads', note(pages.redirect('/known')));
  const web = createWebFetch(config('127.0.0.1'));
  const ask = (path: string, holds: string) =>
    web.request(site.url(path), {
      maxBytes: MAX_BYTES,
      signal: new AbortController().signal,
      conditions: ({ pathname }) => (pathname === holds ? { 'If-None-Match': '"a"' } : undefined),
    });
  const { status, content } = await ask('/leads', '/known');
  content.destroy();
  assert.deepEqual([status, seen], [304, { '/leads': undefined, '/known': '"a"' }]);
  // A 304 without a condition is an error.
  await assert.rejects(ask('/leads', '/leads'), /answered 304/);
});

test('the caller gets the reason for which a request is not admitted', async () => {
  const why = new Error('busy');
  const web = createWebFetch(config('127.0.0.1'));
  const { signal } = new AbortController();
  const admit = () => Promise.reject(why);
  await assert.rejects(web.open(site.url('/any'), { maxBytes: MAX_BYTES, signal, admit }), why);
});

test('content is limited in bytes and time, compressed or not', async () => {
  site.serve('/endless', pages.endless(Buffer.from('begin')));
  await refused(site.url('/endless'), 'URL_TOO_LARGE');
  site.serve('/declared', pages.of(Buffer.alloc(10), { 'content-length': String(MAX_BYTES + 1) }));
  await refused(site.url('/declared'), 'URL_TOO_LARGE');
  const bomb = gzipSync(Buffer.alloc(50 * MAX_BYTES));
  assert.ok(bomb.length < MAX_BYTES / 10);
  site.serve('/bomb', pages.of(bomb, { 'content-encoding': 'gzip' }));
  await refused(site.url('/bomb'), 'URL_TOO_LARGE');
  site.serve('/stalled', pages.stalled(Buffer.from('begin')));
  await refused(site.url('/stalled'), 'URL_TIMED_OUT', { seconds: 1 });
  site.serve('/silent', () => undefined);
  await refused(site.url('/silent'), 'URL_TIMED_OUT', { seconds: 1 });

  const text = Buffer.from('an image');
  const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
  for (const [encoding, encode] of Object.entries(encoders)) {
    site.serve('/encoded', pages.of(encode(text), { 'content-encoding': encoding }));
    assert.deepEqual(await read(site.url('/encoded')), text);
  }
  site.serve('/encoded', pages.of(text, { 'content-encoding': 'gzip, gzip' }));
  await refused(site.url('/encoded'), 'URL_ENCODING_UNKNOWN');
  site.serve('/encoded', pages.of(text, { 'content-encoding': 'gzip' }));
  await refused(site.url('/encoded'), 'URL_UNREACHABLE');
});

test('temporary failures are retryable and permanent ones are not', async () => {
  const retryable = async (url: string) => {
    const error = await read(url).then(
      () => assert.fail(url),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof WebFetchError);
    return error.retryable;
  };
  for (const [status, expected] of [
    [204, false],
    [304, false],
    [401, false],
    [404, false],
    [429, true],
    [500, true],
    [503, true],
  ] as const) {
    site.serve('/status', (response) => response.writeHead(status).end());
    assert.equal(await retryable(site.url('/status')), expected, String(status));
  }
  site.serve('/cut', pages.cut(Buffer.from('begin')));
  assert.equal(await retryable(site.url('/cut')), true);
  const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n';
  site.serve('/switching', (response) => response.socket?.write(switching));
  assert.equal(await retryable(site.url('/switching')), true);
  const gone = await startWebSite('127.0.0.1');
  await gone.stop();
  assert.equal(await retryable(gone.url('/')), true);
  assert.equal(await retryable('http://no-such-host.invalid/'), true);
});

test('an abort rejects with the reason of the caller', async () => {
  site.serve('/slow', pages.stalled(Buffer.from('begin')));
  const stop = new AbortController();
  const content = await createWebFetch(config('127.0.0.1')).open(site.url('/slow'), {
    maxBytes: MAX_BYTES,
    signal: stop.signal,
  });
  stop.abort(new Error('no longer wanted'));
  await assert.rejects(content.toArray(), /no longer wanted/);
  // Piped streams take the reason from here.
  assert.match(String(content.errored), /no longer wanted/);
});
