import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VERSION } from '../../../domain/version.ts';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { releaseVersion } from '../../../lab/clients/build.ts';

const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');

test('both clients, the OpenAPI document and the changelog have the version of the release', () => {
  assert.equal(releaseVersion(), VERSION);
});

test('a version that differs is named in one line', () => {
  for (const path of ['sdk/package.json', 'sdk/python/pyproject.toml', 'api/openapi.json', 'CHANGELOG.md']) {
    const other = (asked: string) => read(asked).replaceAll(VERSION, asked === path ? '9.9.9' : VERSION);
    assert.throws(() => releaseVersion(other), {
      name: 'UsageError',
      message: new RegExp(`^[^\\n]*${path} 9\\.9\\.9[^\\n]*$`),
    });
    assert.throws(
      () => releaseVersion((asked) => (asked === path ? '' : read(asked))),
      new RegExp(`${path} none`),
    );
  }
});
