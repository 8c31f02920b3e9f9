import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';

/**
 * Code that sends requests to servers other than the API, from a browser, or to no operation of the API. The
 * client calls `lab/shared/http.ts`, which counts failures.
 */
const OTHERS =
  /^(adapters|engines|cli\/doctor\/checks|dev\/servers)\/|^(api\/routes\/system\/account-page-routes|dev\/processes\/fetch-from-process|lab\/(shared\/http|bench\/webhooks))\.ts$/;

test('tools call the API only through the client in sdk/', () => {
  const folders = [
    'activities',
    'adapters',
    'engines',
    'api',
    'cli',
    'db',
    'dev',
    'domain',
    'lab',
    'services',
    'worker',
  ];
  const files = globSync(`{${folders.join(',')}}/**/*.ts`, { cwd: PROJECT_ROOT });
  assert.ok(files.length > 500, 'the walk must find the sources');
  const senders = files.filter(
    (path) => !OTHERS.test(path) && /(?<![\w.])fetch\(/.test(readFileSync(join(PROJECT_ROOT, path), 'utf8')),
  );
  assert.deepEqual(senders, []);
});
