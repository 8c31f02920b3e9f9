import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openMarkdown } from '../../../packages/reader/src/markdown/open-markdown.ts';

let folder: string;
before(async () => (folder = await mkdtemp(join(tmpdir(), 'darkroom-lists-'))));
after(() => rm(folder, { recursive: true, force: true }));

test('items of Markdown keep their numbers, their depth and the state of their boxes', async () => {
  const path = join(folder, 'tasks.md');
  await writeFile(path, '3. drain\n4. clean\n   - [x] valve\n   - [ ] lid\n');
  const document = await openMarkdown(path, null);
  const [page] = await document.readPages(null, [1]);
  const [list, ...others] = page?.elements ?? [];
  assert.deepEqual(others, []);
  assert.deepEqual(list?.type === 'list' && list.items, [
    { marker: '3.', text: 'drain', depth: 0 },
    { marker: '4.', text: 'clean', depth: 0 },
    { marker: '-', text: 'valve', depth: 1, checked: true },
    { marker: '-', text: 'lid', depth: 1, checked: false },
  ]);
});
