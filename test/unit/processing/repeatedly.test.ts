import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeatedly } from '../../../activities/repeatedly.ts';

const never = new AbortController().signal;

test('a search is repeated for the given time, and runs at least once', async (context) => {
  let searches = 0;
  const search = async () => (searches += 1);
  const env = new MockActivityEnvironment();
  const once = { everySeconds: 0, forSeconds: 0, stopping: never };
  assert.equal(await env.run(() => repeatedly(search, once)), 1);
  assert.equal(searches, 1);
  searches = 0;
  context.mock.method(performance, 'now', () => searches * 40_000);
  assert.equal(await env.run(() => repeatedly(search, { ...once, forSeconds: 100 })), 120);
  assert.equal(searches, 3);
});

test('a stopping worker ends the repetition at once, even during a pause', async () => {
  const stopping = new AbortController();
  const search = async () => {
    setImmediate(() => stopping.abort());
    return 0;
  };
  const hours = { everySeconds: 3600, forSeconds: 7200, stopping: stopping.signal };
  assert.equal(await new MockActivityEnvironment().run(() => repeatedly(search, hours)), 1);
});

test('an error of a search ends the attempt, so that the engine shows it, and so does a cancellation', async () => {
  const hours = { everySeconds: 3600, forSeconds: 7200, stopping: never };
  const fails = async () => Promise.reject(new Error('2 rows could not be reconciled'));
  await assert.rejects(
    new MockActivityEnvironment().run(() => repeatedly(fails, hours)),
    /2 rows could not be reconciled/,
  );
  const env = new MockActivityEnvironment();
  const search = async () => {
    setImmediate(() => env.cancel());
    return 0;
  };
  await assert.rejects(
    env.run(() => repeatedly(search, hours)),
    CancelledFailure,
  );
});
