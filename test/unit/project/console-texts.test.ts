import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { IntlMessageFormat } from 'intl-messageformat';
import { parseSync, Visitor, type ESTree } from 'vite';
import { PROJECT_ROOT } from '../../../dev/project-root.ts';

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
      if (typeof node.value === 'string' && !keys.has(node)) texts.set(node.value, messages.has(node));
    },
  }).visit(parse(path));
}

type Element = ReturnType<IntlMessageFormat['getAst']>[number];

/** The values that a message shows, as `name: kind`. @throws SyntaxError if it is no ICU message */
function valuesOf(message: string): string[] {
  const read = (elements: readonly Element[]): string[] =>
    elements.flatMap((element) => [
      ...(element.type === 0 || element.type === 7 || element.type === 8
        ? []
        : [`${element.value}: ${element.type === 6 ? 'plural' : 'value'}`]),
      ...('options' in element ? Object.values(element.options).flatMap(({ value }) => read(value)) : []),
    ]);
  const format = new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true });
  return [...new Set(read(format.getAst()))].toSorted();
}

for (const path of globSync('languages/*.json', { cwd: CONSOLE })) {
  const language = basename(path, '.json');
  const catalogue = JSON.parse(readFileSync(join(CONSOLE, path), 'utf8')) as Record<string, string>;

  test(`every text of the console has a translation in ${language}, and no other`, () => {
    const missing = [...texts.keys()].filter((text) => !catalogue[text]?.trim());
    assert.deepEqual(missing, []);
    assert.deepEqual(
      Object.keys(catalogue).filter((text) => !texts.has(text)),
      [],
    );
  });

  test(`texts in ${language} have the values and plurals of the English ones`, () => {
    for (const [text, isMessage] of texts) {
      const translation = catalogue[text];
      if (isMessage && translation) assert.deepEqual(valuesOf(translation), valuesOf(text), translation);
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
        if (value?.type === 'Literal' && SPOKEN.has(String(name.name))) add(String(value.value));
      },
    }).visit(parse(path));
  }
  assert.deepEqual(found, [], 'move each to the texts.ts of its folder');
});
