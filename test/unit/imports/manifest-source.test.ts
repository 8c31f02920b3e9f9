import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { WebFetch } from '../../../adapters/web-fetch/web-fetch.ts';
import { readManifest } from '../../../engines/text-work/read-manifest.ts';
import type { TextWork } from '../../../engines/text-work/text-work.ts';
import { openManifest } from '../../../services/imports/manifest-source.ts';

const ROWS = 50_000;

test('a manifest is received whole before its rows are read, since a site has less time than they take', async () => {
  const received = Promise.withResolvers<undefined>();
  function* list() {
    for (let row = 0; row < ROWS; row += 1) yield `{"url":"http://site.example/${row}"}\n`;
    received.resolve(undefined);
  }
  const web = { open: async () => Readable.from(list()).map((line: string) => Buffer.from(line)) };
  const text = {
    readManifest: async (given: Parameters<typeof readManifest>[0]) => {
      await received.promise;
      return readManifest(given);
    },
  };
  const deps = { web: web as unknown as WebFetch, text: text as unknown as TextWork };
  const source = openManifest(deps, 'a tenant', 'http://site.example/list');
  const { signal } = new AbortController();
  const keys: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await source.list(cursor, signal);
    keys.push(...page.files.map(({ key }) => key));
    if (page.next === undefined) break;
    cursor = page.next;
  }
  assert.equal(new Set(keys).size, ROWS);
  // Another worker begins anew.
  const again = openManifest(deps, 'a tenant', 'http://site.example/list');
  assert.equal((await again.list(undefined, signal)).files[0]?.key, keys[0]);
  await again.close?.();
});
