import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiConfig } from '../../../api/config.ts';
import { devConfig } from '../../../dev/config.ts';
import { apiAddress, originOf } from '../../../domain/schemas/addresses.ts';

test('the launcher, the API and the commands use the same default address', () => {
  const { HOST, PORT } = apiAddress.parse({});
  assert.equal(originOf(HOST, PORT), 'http://127.0.0.1:8080');
  for (const config of [apiConfig.parse({}), devConfig.parse({})]) {
    assert.deepEqual([config.HOST, config.PORT], [HOST, PORT]);
  }
});

test('an API that listens on every address is reached on loopback', () => {
  assert.equal(originOf('0.0.0.0', 80), 'http://127.0.0.1:80');
  assert.equal(originOf('::', 80), 'http://127.0.0.1:80');
  assert.equal(originOf('::1', 80), 'http://[::1]:80');
  assert.equal(originOf('10.0.0.7', 80), 'http://10.0.0.7:80');
});
