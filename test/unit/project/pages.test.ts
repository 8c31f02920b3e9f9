import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  anchorsOf,
  brokenRows,
  missingFrom,
  readCommands,
  readFences,
  usedBeforeMade,
  withoutCredential,
} from '../../support/pages.ts';

/**
 * Tests of the project's pages. Their commands are tested in
 * test/integration/dev/documented-commands.test.ts.
 */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PAGES = globSync(['*.md', '{dev,docs,lab}/**/*.md', 'sdk/{,python/}*.md'], { cwd: ROOT }).toSorted();
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Links to missing files or headings. */
function brokenLinks(page: string, markdown: string): string[] {
  return Array.from(markdown.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target).filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : normalize(join(dirname(page), path));
    if (!existsSync(join(ROOT, file))) return true;
    return anchor !== undefined && !anchorsOf(read(file)).has(anchor);
  });
}

/** Paths of code in backticks that do not exist, except those with a placeholder. */
function brokenPaths(markdown: string): string[] {
  return Array.from(
    markdown.matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|json|md|py|yaml|yml|txt))`/g),
    ([, path = '']) => path,
  ).filter((path) => !GENERATED.some((folder) => path.startsWith(folder)) && !existsSync(join(ROOT, path)));
}
const GENERATED = ['.darkroom/', 'dist/', 'darkroom/', 'node_modules/'];

describe('the pages of the project', () => {
  for (const page of PAGES) {
    test(`${page}: fences, tables, links and paths of code are valid`, () => {
      const markdown = read(page);
      assert.deepEqual(
        {
          fences: readFences(markdown).problems,
          rows: brokenRows(markdown),
          links: brokenLinks(page, markdown),
          paths: brokenPaths(markdown),
          commands: withoutCredential(readCommands(markdown)),
          unmade: usedBeforeMade(readCommands(markdown)),
        },
        { fences: [], rows: [], links: [], paths: [], commands: [], unmade: [] },
      );
    });
  }
});

const fence = (language: string, ...lines: string[]) => ['```' + language, ...lines, '```'].join('\n');

test('leftovers of a bad merge are found', () => {
  const merged = ['````console', '$ a', '## Extractions', '```console', '$ b', '```'].join('\n');
  assert.equal(readFences(merged).problems.length, 4, readFences(merged).problems.join('\n'));
  assert.match(readFences(fence('json', '{"a": 1,')).problems.join(), /not JSON/);
  assert.match(readFences('```console\n$ a').problems.join(), /without an end/);
  assert.deepEqual(brokenRows('| a | b |\n| - | - |\n| 1 | `x|y` |\n| 1 |'), [
    '4: a row of 1 cells below one of 2',
  ]);
  assert.deepEqual(brokenLinks('README.md', '[a](docs/none.md) [b](docs/errors.md#none) [c](#quick-start)'), [
    'docs/none.md',
    'docs/errors.md#none',
  ]);
  assert.deepEqual(brokenPaths('`api/app.ts` and `api/none.ts`'), ['api/none.ts']);
});

test('a variable or a cookie jar that is used before it is made is found', () => {
  const page = fence(
    'console',
    '$ curl -b jar $API/files/$FILE',
    '$ API=x FILE=y; curl -c jar $API',
    '$ curl -b jar $FILE',
  );
  assert.deepEqual(usedBeforeMade(readCommands(page)), ['2: jar', '2: API', '2: FILE']);
});

test('commands are read with their continuation lines and the response below, and one without a key is found', () => {
  const page = `${fence('console', '$ curl $API/files \\', '    -d \'{"a":', "  1}'", 'printed', '$ ls')}\n\n${fence('json', '{"b": 2}')}`;
  const commands = readCommands(page);
  assert.deepEqual(
    commands.map(({ text, line, answer }) => [text, line, answer]),
    [
      ['curl $API/files \\\n    -d \'{"a":\n  1}\'', 2, undefined],
      ['ls', 6, { b: 2 }],
    ],
  );
  assert.deepEqual(withoutCredential(commands), ['2: curl $API/files \\']);
});

test('a command is read with its here-document', () => {
  const page = fence('console', "$ sh <<'END'", 'ls', 'END', 'printed', '$ ls');
  assert.deepEqual(
    readCommands(page).map(({ text }) => text),
    ["sh <<'END'\nls\nEND", 'ls'],
  );
});

test('an object printed below a command is its response if it is complete', () => {
  const page = fence('console', '$ a', '{"x":', ' 1}', '', '$ b', '{"x":1,…}', '$ c', 'done');
  assert.deepEqual(
    readCommands(page).map(({ answer }) => answer),
    [{ x: 1 }, undefined, undefined],
  );
});

test('the runbook describes the id and the purpose of every workflow', () => {
  const workflows = Array.from(read('workflows/index.ts').matchAll(/^export \{([^}]+)\}/gm)).flatMap(
    ([, names = '']) => names.match(/\w+/g) ?? [],
  );
  assert.ok(workflows.length > 10, workflows.join());
  const rows =
    read('docs/runbook.md')
      .match(/^\| `[^`]+` +\| `\w+`/gm)
      ?.join('\n') ?? '';
  assert.deepEqual(
    workflows.filter((name) => !rows.includes(`\`${name}\``)),
    [],
  );
});

test('ARCHITECTURE.md has every noun of services/', () => {
  const nouns = /^## Nouns$([\s\S]*?)^\*\*A medium/m.exec(read('ARCHITECTURE.md'))?.[1] ?? '';
  const listed = Array.from(nouns.matchAll(/^\| (`[^|]*)\|/gm)).flatMap(
    ([, cell = '']) => cell.match(/[\w-]+/g) ?? [],
  );
  const folders = globSync('services/*/', { cwd: ROOT }).map((folder) => basename(folder));
  assert.deepEqual(listed.toSorted(), folders.toSorted());
});

test('the README has at most 150 lines', () => {
  assert.ok(read('README.md').split('\n').length <= 151);
});

test('a program whose first line names a file is written to that file', () => {
  const page = `${fence('python', '# a.py', 'print(1)')}\n${fence('js', 'run()')}\n${fence('console', '$ python3 a.py')}`;
  assert.deepEqual(
    readCommands(page).map(({ text }) => text),
    ["cat > a.py <<'END'\n# a.py\nprint(1)\nEND", 'python3 a.py'],
  );
});

test('a response that lacks documented fields is found', () => {
  const documented = { id: 'a', list: [{ x: 1 }], none: null, '…': '…' };
  assert.deepEqual(missingFrom(documented, { id: 'b', list: [{ x: 2, y: 3 }], none: 4, more: 5 }), []);
  assert.deepEqual(missingFrom(documented, { id: 1, list: [{}] }), [
    '/id is a number',
    '/list/0/x is missing',
    '/none is missing',
  ]);
});
