import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crawlFailure } from '../../../domain/links/crawl-failure.ts';
import { choosePageImages, previewCandidates, type PageImage } from '../../../domain/links/web-page.ts';
import { createHostSlots, HostBusy, visitHosts } from '../../../services/links/host-slots.ts';

for (const [status, retryable, code, isRetryable] of [
  [404, false, 'PAGE_NOT_FOUND', false],
  [410, false, 'PAGE_NOT_FOUND', false],
  [401, false, 'PAGE_FORBIDDEN', false],
  [403, false, 'PAGE_FORBIDDEN', false],
  [451, false, 'PAGE_FORBIDDEN', false],
  [418, false, 'URL_ANSWERED_ERROR', false],
  [429, true, 'URL_ANSWERED_ERROR', true],
  [503, true, 'URL_ANSWERED_ERROR', true],
  [undefined, true, 'URL_ANSWERED_ERROR', true],
] as const) {
  test(`status ${status} fails with ${code}, and ${isRetryable ? 'retryable' : 'final'}`, () => {
    const failed = { code: 'URL_ANSWERED_ERROR', message: 'm', retryable, status, retryAfterSeconds: 9_000 };
    const failure = crawlFailure(failed);
    assert.deepEqual([failure.code, failure.isRetryable], [code, isRetryable]);
    assert.equal(failure.retryAfterSeconds, isRetryable ? 300 : undefined);
  });
}

const image = (src: string, width: number | null = null, height = width): PageImage => ({
  src: `https://example.org/${src}`,
  alt: null,
  width,
  height,
});

test('the images of a page are recorded once each, lead image first, without icons, at most 20', () => {
  const many = Array.from({ length: 30 }, (_, at) => image(`${at}.png`));
  const chosen = choosePageImages({
    leadImage: image('lead.png'),
    images: [image('dot.gif', 1), image('icon.png', 48), image('lead.png', 800), ...many],
  });
  assert.equal(chosen.length, 20);
  assert.deepEqual(chosen[0], image('lead.png', 800));
  assert.deepEqual(chosen[1], image('0.png'));
});

test('the preview is the lead image, or else the largest', () => {
  const images = [image('a.png', 100), image('b.png', 300), image('c.png'), image('d.png', 200)];
  const names = (lead: string | null) => previewCandidates(images, lead).map(({ src }) => src.slice(-5));
  assert.deepEqual(names(null), ['b.png', 'd.png', 'a.png']);
  assert.deepEqual(names('https://example.org/c.png'), ['c.png', 'b.png', 'd.png']);
});

test('the slots of a site limit each tenant separately, so no tenant waits for another', async () => {
  const slots = createHostSlots({ atOnce: 1, waitMs: 20 }, () => 0);
  const { signal } = new AbortController();
  const leave = await slots.enter('one', 'example.org', signal);
  await slots.enter('two', 'example.org', signal);
  await slots.enter('one', 'example.com', signal);
  await assert.rejects(slots.enter('one', 'example.org', signal), HostBusy);
  const waiting = slots.enter('one', 'example.org', signal);
  leave();
  leave();
  const next = await waiting;
  const stop = new AbortController();
  const given = slots.enter('one', 'example.org', stop.signal);
  stop.abort(new Error('stopped'));
  await assert.rejects(given, /stopped/);
  next();
  await slots.enter('one', 'example.org', signal);
});

test('a fetch that is redirected to another site holds a slot there and none at the first site', async () => {
  const slots = createHostSlots({ atOnce: 1, waitMs: 20 }, () => 0);
  const { signal } = new AbortController();
  const visit = visitHosts(slots, 'one', signal);
  await visit.enter('example.org');
  await visit.enter('example.org');
  await visit.enter('example.com');
  const other = visitHosts(slots, 'one', signal);
  await other.enter('example.org');
  await assert.rejects(other.enter('example.com'), HostBusy);
  visit.leave();
  await other.enter('example.com');
});
