import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { IntlMessageFormat } from 'intl-messageformat';
import { parseSync, Visitor, type ESTree } from 'vite';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';
import { ANSWERED_CODES } from '../../../domain/app-error.ts';
import { FILE_COLUMNS } from '../../../domain/exports/file-columns.ts';
import { MEDIA_TYPES } from '../../../domain/media.ts';
import { pipelineOf } from '../../../domain/pipelines/index.ts';
import { MODELS } from '../../../engines/models/catalogue.ts';

/** What the console says, in every language. */
const CONSOLE = join(PROJECT_ROOT, 'console', 'src');
const parse = (path: string) => parseSync(path, readFileSync(join(CONSOLE, path), 'utf8')).program;

/** The English texts, and whether each is an ICU message. */
const texts = new Map<string, boolean>();
for (const path of globSync('**/texts.ts', { cwd: CONSOLE })) readTexts(path);

function readTexts(path: string): void {
  const messages = new Set<ESTree.Node>();
  const keys = new Set<ESTree.Node>();
  new Visitor({
    ImportDeclaration: ({ source }) => void keys.add(source),
    Property: ({ key }) => void keys.add(key),
    CallExpression: ({ callee, arguments: [message] }) => {
      if (callee.type === 'Identifier' && callee.name === 't' && message) messages.add(message);
    },
    TemplateLiteral: ({ quasis: [first] }) =>
      assert.fail(`${path} has a template, which has no translation: ${first?.value.raw}`),
    'Literal:exit': (node) => {
      if (typeof node.value === 'string' && node.value && !keys.has(node))
        texts.set(node.value, messages.has(node));
    },
  }).visit(parse(path));
}

/** What the API sends out of closed sets, by which the console translates it: codes of errors, titles and names. */
const sent = new Set<string>([
  ...ANSWERED_CODES,
  ...FILE_COLUMNS.map(({ name }) => name),
  ...MEDIA_TYPES.flatMap((medium) =>
    (pipelineOf(medium)?.components ?? []).flatMap(({ steps }) => steps.map(({ title }) => title)),
  ),
  ...MODELS.map(({ purpose }) => purpose),
]);

/** The type of an element of a message that is only text. */
const WORDS = 0;
type Element = ReturnType<IntlMessageFormat['getAst']>[number];

/** The values that a message shows, and those that it inflects. @throws SyntaxError if it is no ICU message */
function valuesOf(message: string): { all: Set<string>; plural: Set<string> } {
  const [all, plural] = [new Set<string>(), new Set<string>()];
  const read = (elements: readonly Element[]): void => {
    for (const element of elements) {
      if ('options' in element) {
        if ('pluralType' in element) plural.add(element.value);
        for (const { value } of Object.values(element.options)) read(value);
      }
      // Words have themselves as their value, and `#` has none.
      if ('value' in element && (element.type as number) !== WORDS) all.add(element.value);
    }
  };
  read(new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst());
  return { all, plural };
}

for (const path of globSync('languages/*.json', { cwd: CONSOLE })) {
  const language = basename(path, '.json');
  const catalogue = JSON.parse(readFileSync(join(CONSOLE, path), 'utf8')) as Record<string, string>;

  test(`every text of the console has a translation in ${language}, and no other`, () => {
    const all = new Set([...texts.keys(), ...sent]);
    assert.deepEqual(
      [...all].filter((text) => !catalogue[text]?.trim()),
      [],
    );
    assert.deepEqual(
      Object.keys(catalogue).filter((text) => !all.has(text)),
      [],
    );
  });

  test(`texts in ${language} have the values and plurals of the English ones`, () => {
    for (const [text, isMessage] of texts) {
      if (!isMessage) continue;
      const [wanted, got] = [valuesOf(text), valuesOf(catalogue[text] ?? '')];
      assert.deepEqual(got.all, wanted.all, text);
      // A language may inflect more than English does.
      assert.ok(
        [...wanted.plural].every((name) => got.plural.has(name)),
        text,
      );
    }
    for (const code of ANSWERED_CODES) {
      const { all } = valuesOf(catalogue[code] ?? '');
      assert.ok(
        [...all].every((name) => name === 'detail'),
        code,
      );
    }
  });
}

/** Attributes that people read or hear. */
const SPOKEN = new Set(['alt', 'aria-label', 'hint', 'label', 'placeholder', 'title', 'text', 'empty']);
const HAS_WORD = /\p{L}{2}/u;

test('components have no texts of their own', () => {
  const found: string[] = [];
  for (const path of globSync('**/*.tsx', { cwd: CONSOLE })) {
    const add = (text: string) =>
      HAS_WORD.test(text.replace('https://', '')) && found.push(`${path}: ${text.trim()}`);
    new Visitor({
      JSXText: ({ value }) => void add(value),
      JSXAttribute: ({ name, value }) => {
        if (value?.type === 'Literal' && name.type === 'JSXIdentifier' && SPOKEN.has(name.name))
          add(value.value);
      },
    }).visit(parse(path));
  }
  assert.deepEqual(found, [], 'move each to the texts.ts of its folder');
});
