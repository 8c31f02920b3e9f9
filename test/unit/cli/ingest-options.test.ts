import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findApi } from '../../../cli/shared/find-api.ts';
import { readOptions } from '../../../cli/ingest/options.ts';

const home = mkdtempSync(join(tmpdir(), 'darkroom-ingest-'));
after(() => rmSync(home, { recursive: true, force: true }));
const local = { api_url: 'http://127.0.0.1:8080/api/v2', api_key: 'drk_local' };
writeFileSync(join(home, 'run.json'), JSON.stringify(local));

test('options have defaults, and invalid ones are rejected', () => {
  const options = readOptions(['photos', '--tags', ' a, b,,a ']);
  assert.deepEqual(options, {
    folder: 'photos',
    tags: ['a', 'b'],
    concurrency: 3,
    directOverBytes: 16_777_216,
    patienceMs: 300_000,
    describe: true,
    wait: true,
  });
  assert.equal(readOptions(['--help']), undefined);
  for (const bad of [
    ['a', 'b'],
    ['a', '--concurrency', '0'],
    ['a', '--concurrency', '1.5'],
    ['a', '--direct-over', '104857601'],
    ['a', '--tags', 'x'.repeat(51)],
    ['a', '--tags', Array.from({ length: 21 }, (_, index) => `t${index}`).join()],
    ['a', '--nonsense'],
  ]) {
    assert.throws(() => readOptions(bad), { name: 'UsageError' }, bad.join(' '));
  }
});

test('the API address comes from the options, else from the environment, else from the stack on this machine', () => {
  const env = { DARKROOM_HOME: home };
  assert.deepEqual(findApi({}, env), { url: local.api_url, key: 'drk_local' });
  assert.deepEqual(findApi({ api: 'https://far.example/', key: 'k' }, env), {
    url: 'https://far.example/api/v2',
    key: 'k',
  });
  const named = { ...env, DARKROOM_API: 'https://far.example/darkroom/v2/', DARKROOM_KEY: 'e' };
  assert.deepEqual(findApi({}, named), { url: 'https://far.example/darkroom/v2', key: 'e' });
  assert.deepEqual(findApi({ key: 'k' }, named), { url: 'https://far.example/darkroom/v2', key: 'k' });
});

test('the key of the stack on this machine is sent to no other server', () => {
  const env = { DARKROOM_HOME: home };
  assert.deepEqual(findApi({ api: 'http://127.0.0.1:8080' }, env).key, 'drk_local');
  for (const api of ['https://far.example', 'http://127.0.0.1:8081', 'ftp://127.0.0.1', 'not a url']) {
    assert.throws(() => findApi({ api }, env), { name: 'UsageError' }, api);
  }
});
