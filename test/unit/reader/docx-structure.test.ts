import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paragraph, readDocx, run, words } from '../../support/docx-parts.ts';

const styled = (id: string, text: string, others = '') => words(text, `<w:pStyle w:val="${id}"/>${others}`);
const style = (id: string, name: string, content = '') =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${content}</w:style>`;
const numbered = (id: number, level: number) =>
  `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${id}"/></w:numPr>`;
const item = (id: number, level: number, text: string) => words(text, numbered(id, level));
const level = (at: number, format: string, text: string, others = '') =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${others}<w:lvlText w:val="${text}"/></w:lvl>`;
const list = (id: number, ...levels: string[]) =>
  `<w:abstractNum w:abstractNumId="${id}">${levels.join('')}</w:abstractNum>`;
const number = (id: number, of: number, overrides = '') =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${of}"/>${overrides}</w:num>`;

const numbering =
  list(
    1,
    level(0, 'decimal', '%1.', '<w:pStyle w:val="Kop1"/>'),
    level(1, 'decimal', '%1.%2', '<w:pStyle w:val="Kop2"/>'),
    level(2, 'lowerLetter', '%3)'),
  ) +
  list(2, level(0, 'bullet', '\u2022'), level(1, 'lowerRoman', '(%2)')) +
  list(3, level(0, 'upperRoman', 'Article %1'), level(1, 'decimal', '%1.%2', '<w:isLgl/>')) +
  list(4, level(0, 'bullet', ' ')) +
  number(1, 1) +
  number(2, 2) +
  number(3, 3) +
  number(4, 4) +
  number(5, 1, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>');
const styles =
  style(
    'Kop1',
    'heading 1',
    `<w:pPr><w:outlineLvl w:val="0"/><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>`,
  ) +
  style('Kop2', 'heading 2', `<w:basedOn w:val="Kop1"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr>`) +
  style('Own', 'Section of ours', '<w:basedOn w:val="Kop2"/>') +
  style('Titre3', 'Titre 3') +
  style('Title', 'Title') +
  style('TOC2', 'toc 2') +
  style('Code', 'Source Code');
const parts = { numbering, styles };

const STRUCTURES: [name: string, body: string, elements: string[]][] = [
  [
    'headings carry their numbers, by the chain of their styles',
    styled('Title', 'Manual') +
      styled('Kop1', 'Start') +
      styled('Own', 'Parts') +
      styled('Kop2', 'Tools') +
      styled('Kop1', 'End') +
      styled('Kop2', 'Last'),
    [
      'heading1: Manual',
      'heading1: 1. Start',
      'heading2: 1.1 Parts',
      'heading2: 1.2 Tools',
      'heading1: 2. End',
      'heading2: 2.1 Last',
    ],
  ],
  [
    'a heading without a number, one by its outline level, one in another language',
    styled('Kop1', 'Plain', '<w:numPr><w:numId w:val="0"/></w:numPr>') +
      words('Own', '<w:outlineLvl w:val="3"/>') +
      styled('Titre3', 'Trois'),
    ['heading1: Plain', 'heading4: Own', 'heading3: Trois'],
  ],
  [
    'a text with the outline level of body text is none',
    styled('Kop1', 'Body', '<w:outlineLvl w:val="9"/><w:numPr><w:numId w:val="0"/></w:numPr>'),
    ['paragraph: Body'],
  ],
  [
    'lists of several levels, which begin anew below another item',
    item(1, 0, 'a') + item(1, 2, 'b') + item(1, 2, 'c') + item(1, 0, 'd') + item(1, 2, 'e'),
    ['list: 1. a\n    a) b\n    b) c\n2. d\n    a) e'],
  ],
  [
    'a list that counts on after a text, and one that begins anew',
    item(1, 0, 'a') + words('between') + item(1, 0, 'b') + words('then') + item(5, 0, 'c') + item(5, 0, 'd'),
    ['list: 1. a', 'paragraph: between', 'list: 2. b', 'paragraph: then', 'list: 1. c\n2. d'],
  ],
  [
    'bullets, and a further paragraph of an item',
    item(2, 0, 'a') + item(4, 0, 'more') + item(2, 1, 'b') + item(2, 1, 'c'),
    ['list: - a more\n  (i) b\n  (ii) c'],
  ],
  [
    'legal numbers are digits',
    item(3, 0, 'Parties') + item(3, 1, 'The seller'),
    ['list: Article I Parties\n  1.1 The seller'],
  ],
  [
    'listings by their style or font, with blank lines; other lists end before them',
    styled('Code', 'for x:') +
      paragraph('') +
      styled('Code', '  stop') +
      item(2, 0, 'a') +
      paragraph(run('make  it', '<w:rFonts w:ascii="Courier New"/>')),
    ['code: for x:\n\n  stop', 'list: - a', 'code: make  it'],
  ],
  [
    'code within a sentence stays in it',
    paragraph(run('Call ') + run('make', '<w:rFonts w:ascii="Courier New"/>')),
    ['paragraph: Call make'],
  ],
  [
    'a table of contents is a list',
    styled('TOC2', 'Tools\t3') + styled('TOC2', 'Parts\t4'),
    ['list:   - Tools\t3\n  - Parts\t4'],
  ],
];
for (const [name, body, elements] of STRUCTURES)
  test(`structure: ${name}`, async () => {
    assert.deepEqual((await readDocx(body, parts)).flat(), elements);
  });

test('bold lines are headings where no style is used for them', async () => {
  const bold = (text: string, properties = '') => paragraph(run(text, '<w:b/>'), properties);
  const body =
    bold('Terms', numbered(1, 0)) + words('All prices include taxes.') + bold('Delivery') + bold('Note:');
  assert.deepEqual(await readDocx(body, parts), [
    ['heading1: 1. Terms', 'paragraph: All prices include taxes.', 'heading1: Delivery', 'paragraph: Note:'],
  ]);
});
