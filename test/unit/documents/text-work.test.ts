import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTextWork, type TextWorkOptions } from '../../../engines/text-work/text-work.ts';
import type { PageContent } from 'darkroom-reader/document';
import { pageText } from '../../../domain/documents/chunking.ts';

const WORDS = 'The pump is delivered with a warranty of two years against faults of material. ';
const BOX = { x: 0, y: 0, w: 1, h: 1 };

/** A page with one paragraph. */
const page = (content: string): PageContent => ({
  pageNumber: 1,
  source: 'document',
  elements: [{ type: 'paragraph', content, box: BOX }],
});
const prose = (characters: number) =>
  page(WORDS.repeat(Math.ceil(characters / WORDS.length)).slice(0, characters));

const opened: { close(): Promise<void> }[] = [];
function workOf(options: Partial<TextWorkOptions> = {}) {
  const work = createTextWork({ slots: 1, ...options });
  opened.push(work);
  return work;
}
after(() => Promise.all(opened.map((work) => work.close())));

const call = (tenantId = 'one', signal: AbortSignal = AbortSignal.timeout(300_000)) => ({ tenantId, signal });
const settle = (work: ReturnType<typeof workOf>, pages: PageContent[], ...of: Parameters<typeof call>) =>
  work.settleDocument({ pages, language: 'en' }, call(...of));

test('the event loop keeps running while a document is chunked', async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const { chunks, beginning, further } = await settle(workOf(), [prose(300_000)]);
  clearInterval(timer);
  assert.ok(turns > 1, 'the event loop was blocked');
  assert.ok(chunks.length > 100);
  assert.ok(chunks.every(({ dictionary }) => dictionary === 'english'));
  assert.equal(chunks.map(({ content }) => content).join(' '), pageText(prose(300_000)).trim());
  assert.equal(beginning.length, 100_000);
  assert.equal(further, '');
});

test('the work on a text ends when its attempt is aborted, and the next text is processed', async () => {
  const work = workOf();
  const stop = new AbortController();
  const dividing = settle(work, [prose(5_000_000)], 'one', stop.signal);
  stop.abort(new Error('cancelled'));
  await assert.rejects(dividing, /cancelled/);
  assert.equal((await settle(work, [prose(500)])).chunks.length, 1);
});

test('a text that needs too much CPU time fails permanently, and the next text is processed', async () => {
  const work = workOf({ budget: { baseMs: 400, msPerCharacter: 0 } });
  await assert.rejects(settle(work, [prose(20_000_000)]), {
    name: 'TextOverBudget',
    reason: 'took_too_long',
  });
  assert.equal((await settle(work, [prose(500)])).chunks.length, 1);
});

test('a text that needs too much memory fails permanently, and the next text is processed', async () => {
  const work = workOf({ maxHeapBytes: 48 * 2 ** 20, budget: { baseMs: 300_000, msPerCharacter: 0 } });
  // Half of the heap: a message larger than the heap would end the process.
  const pages = Array.from({ length: 10_000 }, () => prose(2_000));
  await assert.rejects(settle(work, pages), { name: 'TextOverBudget', reason: 'too_large' });
  assert.equal((await settle(work, [prose(500)])).chunks.length, 1);
});

test('an error thrown by a task is reported, and its thread continues', async () => {
  const work = workOf();
  const schema = { type: 'object', properties: { code: { type: 'string', pattern: '(' } } } as const;
  await assert.rejects(work.checkAnswer({ answer: { code: 'x' }, schema }, call()), /missing closing/);
  assert.equal((await settle(work, [prose(500)])).chunks.length, 1);
});

test('short texts share one thread', async () => {
  let started = 0;
  const count = () => (started += 1);
  process.on('worker', count);
  const work = workOf();
  for (let texts = 0; texts < 4; texts += 1) await settle(work, [prose(500)]);
  process.off('worker', count);
  assert.equal(started, 1);
});

test('a long text of one tenant does not delay another tenant', async () => {
  const work = workOf({ slots: 1, budget: { baseMs: 60_000, msPerCharacter: 0 } });
  const stop = new AbortController();
  const long = [1, 2, 3].map(() => settle(work, [prose(20_000_000)], 'one', stop.signal));
  const ended = Promise.allSettled(long).then(() => 'the long ones');
  assert.equal(
    await Promise.race([ended, settle(work, [prose(500)], 'other').then(() => 'the other')]),
    'the other',
  );
  stop.abort(new Error('enough'));
  assert.equal(await ended, 'the long ones');
});

test('work that waits or runs when the threads are closed is rejected', async () => {
  const work = workOf();
  const running = [1, 2].map(() => settle(work, [prose(5_000_000)]));
  const rejected = Promise.all(running.map((one) => assert.rejects(one, { name: 'TextWorkClosed' })));
  await work.close();
  await rejected;
});
