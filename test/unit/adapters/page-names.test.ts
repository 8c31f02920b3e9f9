import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createPageNames } from '../../../adapters/browser/page-names.ts';
import type { ResolveName } from '../../../adapters/outbound/guarded-agent.ts';

const HERE = [{ address: '192.0.2.1', family: 4 }];

test('all pages together resolve one name at a time, each name once per page, and an ended page resolves no more', async () => {
  const asked: { name: string; answer: () => void }[] = [];
  const names = createPageNames((name) => {
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<ResolveName>>>();
    asked.push({ name, answer: () => resolve(HERE) });
    return promise;
  });
  const ended = new AbortController();
  const one = names.forPage(ended.signal);
  const other = names.forPage(new AbortController().signal);
  const first = [one('a.test'), one('a.test')];
  const never = one('b.test');
  const last = other('c.test');
  const asking = async () => {
    await turn();
    return asked.map(({ name }) => name);
  };
  assert.deepEqual(await asking(), ['a.test']);
  ended.abort(new Error('the page has ended'));
  await assert.rejects(never, /has ended/);
  assert.deepEqual(await asking(), ['a.test']);
  asked[0]?.answer();
  assert.deepEqual(await Promise.all(first), [HERE, HERE]);
  // The next name is resolved once the first one is done.
  assert.deepEqual(await asking(), ['a.test', 'c.test']);
  asked[1]?.answer();
  assert.deepEqual(await last, HERE);
  assert.deepEqual(await one('a.test'), HERE);
  assert.equal(asked.length, 2);
});

test('a page may resolve sixty names', async () => {
  const find = createPageNames(async () => HERE).forPage(new AbortController().signal);
  for (let count = 0; count < 60; count += 1) await find(`${count}.test`);
  await assert.rejects(find('more.test'), /too many names/);
  assert.deepEqual(await find('0.test'), HERE);
});
