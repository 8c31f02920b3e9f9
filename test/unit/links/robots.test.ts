import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { webFetchConfig } from '../../../adapters/web-fetch/config.ts';
import { WebFetchError } from '../../../adapters/web-fetch/web-fetch-error.ts';
import { createWebFetch } from '../../../adapters/web-fetch/web-fetch.ts';
import { fetchPage, NotAPage } from '../../../adapters/web-fetch/fetch-page.ts';
import { createPageParser, UnreadablePage } from '../../../engines/page-parser/page-parser.ts';
import { createRobots } from '../../../adapters/web-fetch/robots.ts';
import { pages, startWebSite, type Page } from '../../support/web-site.ts';

const parser = createPageParser({ slots: 1 });
const web = createWebFetch(
  webFetchConfig.parse({ WEB_FETCH_ALLOWED_NETWORKS: '127.0.0.1', WEB_FETCH_SECONDS: 20 }),
);
after(() => parser.close());
const call = { tenantId: 'one', signal: new AbortController().signal };

/** The outcome of checking a path against these rules: `allowed`, or the error code. */
async function verdict(rules: Page | undefined, path: string): Promise<string> {
  const site = await startWebSite('127.0.0.1');
  try {
    if (rules) site.serve('/robots.txt', rules);
    const robots = createRobots({ web, parser });
    await robots.check(new URL(site.url(path)), call);
    await robots.check(new URL(site.url('/robots.txt')), call);
    assert.ok(site.requests.length <= 1, 'the rules must be fetched once');
    return 'allowed';
  } catch (error) {
    assert.ok(error instanceof WebFetchError, String(error));
    return `${error.code}${error.retryable ? ', again' : ''}`;
  } finally {
    await site.stop();
  }
}

const rules = (text: string) => pages.of(Buffer.from(text));
const OWN = rules('User-agent: *\nDisallow: /\n\nUser-agent: DARKROOM\nDisallow: /a\nAllow: /a/b\n');

for (const [what, given, path, expected] of [
  ['no rules', undefined, '/', 'allowed'],
  ['removed rules', pages.error(410), '/', 'allowed'],
  ['empty rules', rules(' \n'), '/', 'allowed'],
  ['rules that cannot be fetched', pages.error(503), '/', 'URL_ROBOTS_UNREACHABLE, again'],
  ['too many requests', pages.error(429), '/', 'URL_ROBOTS_UNREACHABLE, again'],
  ['rules for all crawlers', rules('User-agent: *\nDisallow: /x'), '/x/y', 'URL_DISALLOWED'],
  ['rules for this service, in any case', OWN, '/c', 'allowed'],
  ['rules for this service', OWN, '/a', 'URL_DISALLOWED'],
  ['the longest matching rule', OWN, '/a/b/c', 'allowed'],
  [
    'rules redirected to a refused address',
    pages.redirect('http://10.0.0.1/'),
    '/',
    'URL_ROBOTS_UNREACHABLE, again',
  ],
  ['rules redirected to another scheme', pages.redirect('file:///x'), '/', 'URL_ROBOTS_UNREACHABLE, again'],
  ['endless rules', pages.endless(Buffer.from('User-agent: *\nDisallow: /x\n')), '/x', 'URL_DISALLOWED'],
] as const) {
  test(`${what}: ${path} is ${expected}`, async () => assert.equal(await verdict(given, path), expected));
}

test('a refused address is left to the page fetch, and rules that take too long fail with a reason', async () => {
  const robots = createRobots({ web, parser });
  await robots.check(new URL('http://10.0.0.1/page'), call);
  const site = await startWebSite('127.0.0.1');
  after(() => site.stop());
  site.serve('/robots.txt', rules('User-agent: *\nDisallow: /x'));
  const isAllowed = () => Promise.reject(new UnreadablePage('took_too_long', 'too long'));
  const slow = createRobots({ web, parser: { ...parser, isAllowed } });
  await assert.rejects(slow.check(new URL(site.url('/')), call), {
    code: 'URL_ROBOTS_UNREADABLE',
    retryable: false,
  });
});

test('the bytes behind a URL decide its kind, and only files of accepted types are more than pages', async () => {
  const site = await startWebSite('127.0.0.1');
  after(() => site.stop());
  const robots = createRobots({ web, parser });
  const html = Buffer.from('<!doctype html><p>x');
  site.serve('/page', pages.of(html, { 'content-type': 'text/plain' }));
  site.serve(
    '/on-pdf',
    pages.of(Buffer.from('<!doctype html><title>%PDF-1.7'), { 'content-type': 'text/html' }),
  );
  site.serve('/on-pdf.htm', pages.of(Buffer.from('\ufeff <p>%PDF-1.7'), { 'content-type': 'text/html' }));
  site.serve('/paper', pages.of(Buffer.from('%PDF-1.7 …'), { 'content-type': 'text/html' }));
  site.serve('/notes.md', pages.of(Buffer.from('# Notes'), { 'content-type': 'text/plain' }));
  site.serve('/data', pages.of(Buffer.from('{}'), { 'content-type': 'application/json' }));
  const kind = async (path: string) => {
    const found = await fetchPage({ web, robots }, site.url(path), call);
    if (found.kind === 'file') found.content.destroy();
    return found.kind === 'file' ? found.type : found.kind;
  };
  assert.deepEqual(await Promise.all(['/page', '/on-pdf', '/on-pdf.htm', '/paper', '/notes.md'].map(kind)), [
    'page',
    'page',
    'page',
    'application/pdf',
    'text/markdown',
  ]);
  await assert.rejects(kind('/data'), NotAPage);
});
