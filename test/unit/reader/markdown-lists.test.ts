import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { shown } from '../../support/elements.ts';
import { openMarkdown } from '../../../packages/reader/src/markdown/open-markdown.ts';

let folder: string;
before(async () => (folder = await mkdtemp(join(tmpdir(), 'darkroom-lists-'))));
after(() => rm(folder, { recursive: true, force: true }));

test('items of Markdown keep their numbers, their depth and the state of their boxes', async () => {
  const path = join(folder, 'tasks.md');
  await writeFile(path, '3. drain\n\n   <!-- by hand -->\n4. clean\n   - [x] valve\n   - [ ] lid\n');
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

test('an item with code, a table or HTML ends the list, and keeps its number and its box', async () => {
  const path = join(folder, 'steps.md');
  const steps = [
    '1. Install it:',
    '   ```sh',
    '   npm ci',
    '   npm test',
    '   ```',
    '2. Look at the parts:',
    '',
    '   | Part | Stock |',
    '   |---|---|',
    '   | Bolt | 10 |',
    '3. Then `stop` <b>it</b>',
    '   - [x] drain',
    '     <p>The lid</p>',
    '4. ```',
    '   only code',
    '   ```',
  ];
  await writeFile(path, steps.join('\n'));
  const document = await openMarkdown(path, null);
  const [page] = await document.readPages(null, [1]);
  assert.deepEqual(
    shown(page?.elements ?? []).map(({ type, content }) => `${type}: ${content}`),
    [
      'paragraph: 1. Install it:',
      'code: npm ci\nnpm test',
      'paragraph: 2. Look at the parts:',
      'table: | Part | Stock |\n| --- | --- |\n| Bolt | 10 |',
      'paragraph: 3. Then stop it',
      'paragraph: ☒ drain',
      'paragraph: The lid',
      'paragraph: 4.',
      'code: only code',
    ],
  );
});
