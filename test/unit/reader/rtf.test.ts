/** RTF: text in its code pages, structure, and hostile files. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readingNote } from 'darkroom-reader/document';
import { openDocument } from 'darkroom-reader/open';
import { UnreadableDocument, type UnreadableReason } from 'darkroom-reader';
import { shown } from '../../support/elements.ts';

let folder: string;
before(async () => (folder = await mkdtemp(join(tmpdir(), 'darkroom-rtf-'))));
after(() => rm(folder, { recursive: true, force: true }));

/** @param rtf each character is a byte */
async function read(rtf: string) {
  const path = join(folder, 'document.rtf');
  await writeFile(path, Buffer.from(rtf, 'latin1'));
  const document = await openDocument({ path, type: 'rtf' });
  const facts = await document.inspect();
  const numbers = Array.from({ length: document.pageCount }, (_, at) => at + 1);
  const pages = await document.readPages(facts.profile, numbers);
  return {
    facts,
    note: readingNote(facts.profile),
    pages: pages.map(({ elements }) =>
      shown(elements).map(({ type, content, metadata: { role } }) => `${role ?? type}: ${content}`),
    ),
  };
}

const FONTS = String.raw`{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fnil\fcharset204{\*\fname Arial;}Arial Cyr;}{\f2\fnil\fcharset128 MS Mincho;}{\f3\ftech\fcharset2 Symbol;}{\f4\fmodern\fcharset238 Courier New CE;}{\f5\fnil\fcharset161 Arial Greek;}{\f6\fnil\fcharset134 SimSun;}{\f7\fmodern Courier New;}{\f8\fnil\fcharset130 Johab;}}`;
const rtf = (body: string, head = '\\ansicpg1252') => `{\\rtf1\\ansi${head}\\deff0${FONTS}${body}}`;

const TEXTS: readonly [what: string, rtf: string, text: string][] = [
  ['of the code page of the document', rtf(String.raw`Gr\'f6\'dfe gepr\'fcft\par`), 'Größe geprüft'],
  ['of another one', rtf(String.raw`\f9 \'cf\'f0\'e8\'e2\'e5\'f2\par`, '\\ansicpg1251'), 'Привет'],
  ['of a font', rtf(String.raw`{\f1 \'cf\'f0\'e8\'e2\'e5\'f2} caf\'e9\par`), 'Привет café'],
  ['of a Greek and a Czech font', rtf(String.raw`{\f5 \'e1\'e2\'e3} {\f4 \'e8\'9a}\par`), 'αβγ čš'],
  ['of two bytes', rtf(String.raw`{\f2 \'93\'fa\'96\'7b}{\f6 \'d6\'d0\'b9\'fa}\par`), '日本中国'],
  ['of two bytes of which one is a letter', rtf(String.raw`{\f2 \'83A\'83\'43\par}`), 'アイ'],
  [
    'of two bytes of which each letter has five bits',
    rtf(String.raw`{\f8 \'88\'74\'20\'a6\'ca\'20\'88\'61\'d3\'bd}\par`),
    '값 뷁 가힣',
  ],
  [
    'that stands twice, in Unicode for newer programs',
    rtf(String.raw`a {\upr{Vi\'67{\footnote no}}{\*\ud{Vi\u7879?t}}} b\par`),
    'a Việt b',
  ],
  ['of a Mac', String.raw`{\rtf1\mac{\fonttbl\f0\fnil Geneva;}\f0 caf\'8e\par}`, 'café'],
  ['of DOS', String.raw`{\rtf1\pca caf\'82\par}`, 'café'],
  [
    'in Unicode, with what older programs show',
    rtf(String.raw`\u8364?5, \uc2\u26085\'93\'fa\uc0\u-10179\u-8704 \uc1\u233\'e9.\par`),
    '€5, 日😀é.',
  ],
  ['in raw bytes', rtf('Stra\xdfe\\par'), 'Straße'],
  ['of a font of symbols', rtf(String.raw`{\f3 \'61} = 1, {\f3\u-3999 ?}\par`), 'α = 1, α'],
  ['with signs', rtf(String.raw`\ldblquote a\rdblquote\~b\_c\emdash d\{e\}\line f\par`), '“a” b-c—d{e}\nf'],
  [
    'that is raised, lowered or struck out',
    rtf(String.raw`25 m{\super 2}, CO{\sub 2}, {\strike old}\par`),
    '25 m², CO2, ~~old~~',
  ],
  [
    'beside the prompt of an empty control',
    rtf(
      String.raw`{\stylesheet{\s0 Normal;}{\*\cs16 \additive Placeholder Text;}{\*\cs17 Strong;}}Name: {\cs16 Choose an item.}{\cs17 Ann}\par`,
    ),
    'Name: Ann',
  ],
  [
    'after a prompt without a group',
    rtf(String.raw`{\stylesheet{\*\cs16 Placeholder Text;}{\*\cs17 Strong;}}\cs16 Choose. \cs17 Ann\par`),
    'Ann',
  ],
  [
    'whose style has the number of a style of characters',
    rtf(
      String.raw`{\stylesheet{\s1 Body;}{\*\cs1 Heading 1 Char;}{\s2 Placeholder Text;}{\*\cs2 Strong;}}\s1 Ann {\cs2 Lee}\par`,
    ),
    'Ann Lee',
  ],
  [
    'that is hidden or deleted',
    rtf(String.raw`a{\v secret}{\deleted gone}b{\*\unknown x}{\bin3 }}}c}\par`),
    'abc',
  ],
  [
    'of a link',
    rtf(String.raw`{\field{\*\fldinst{HYPERLINK "https://mill.example/a"}}{\fldrslt{\ul the mill}}}\par`),
    '[the mill](https://mill.example/a)',
  ],
  [
    'of a box of a form',
    rtf(
      String.raw`{\field{\*\fldinst FORMCHECKBOX {\*\formfield{\fftype1\ffres25\ffdefres1{\*\ffname x}}}}{\fldrslt}} Doors\par`,
    ),
    '☒ Doors',
  ],
];
for (const [what, bytes, text] of TEXTS)
  test(`text ${what}`, async () => {
    const { pages } = await read(bytes);
    assert.deepEqual(pages[0], [`paragraph: ${text}`]);
  });

test('headings, lists as they are numbered, listings, notes, margins, boxes, pictures and pages', async () => {
  const { facts, pages, note } = await read(
    rtf(String.raw`{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2\sbasedon0 heading 2;}{\*\cs3 Strong;}}
{\info{\title The mill}{\author A. Carpenter}{\creatim\yr2024\mo5\dy6\hr7\min8}{\company Secret}}
{\header\pard Mill report\par}
\pard\s1 Scope\par\pard\s2{\listtext\pard\plain 1.1\tab}Parts\par
\pard\ls1{\listtext 3.\tab}Three\par\pard\ls1\ilvl1{\listtext\f3\'b7\tab}inner\par
\pard{\pntext\f3\'b7\tab}{\*\pn\pnlvlblt{\pntxtb\'b7}}old bullet\par
\pard\f7 if a:\par\pard   b()\par\pard\f0 By hand{\footnote\pard{\super\chftn} Of oak.\par}.{\*\annotation{\*\atnref 1}Check this\par}\par
{\shp{\*\shpinst\shpleft0{\sp{\sn a}{\sv b}}{\shptxt\pard Boxed\par}}{\shprslt{\*\do\dptxbx{\dptxbxtext\pard Boxed\par}}}}
{\pict\pngblip 89504e47}\par\page Second page\par\sect\sectd\sbknone still\par`),
  );
  assert.deepEqual(
    [facts.title, facts.author, facts.createdAt, note],
    ['The mill', 'A. Carpenter', '2024-05-06T07:08:00.000Z', null],
  );
  assert.deepEqual(pages, [
    [
      'heading: Scope',
      'heading: 1.1 Parts',
      'list: 3. Three\n  - inner\n- old bullet',
      'code: if a:\n  b()',
      'paragraph: By hand[1].',
      'paragraph: Boxed',
      'figure: ',
      'page_header: Mill report',
      'footnote: [1] Of oak.',
      'notes: Check this',
    ],
    ['paragraph: Second page', 'paragraph: still'],
  ]);
});

test('tables: cells by their edges, merged cells, a header, a table within a cell', async () => {
  const row = (ends: string, cells: string[]) =>
    String.raw`\trowd${ends}\pard\intbl ${cells.join('\\cell ')}\cell\row `;
  const { pages } = await read(
    rtf(
      row(String.raw`\trhdr\cellx1000\cellx3000`, ['Part', 'Price']) +
        row(String.raw`\clvmgf\cellx1000\cellx2000\cellx3010`, ['Bolt', '1.50', '2.00']) +
        row(String.raw`\clvmrg\cellx1000\clmgf\cellx2000\clmrg\cellx3000`, ['', 'both', '']) +
        row(String.raw`\cellx1000\cellx2000\cellx3000`, [
          'Nut',
          String.raw`\pard\intbl\itap2 a\nestcell b\nestcell{\*\nesttableprops\trowd\cellx99\cellx198\nestrow}{\nonesttables\par}c\nestcell d\nestcell{\*\nesttableprops\trowd\cellx99\cellx198\nestrow}\pard\intbl`,
          'x',
        ]) +
        String.raw`\pard After\par`,
    ),
  );
  assert.deepEqual(pages[0], [
    'table: | Part | Price | Price |\n| --- | --- | --- |\n| Bolt | 1.50 | 2.00 |\n| Bolt | both | both |\n| Nut |  | x |',
    'table: | a | b |\n| --- | --- |\n| c | d |',
    'paragraph: After',
  ]);
});

test('a file that is cut off is read as far as it goes, and says so', async () => {
  const { pages, note } = await read(rtf(String.raw`First\par{\b Second`).slice(0, -1));
  assert.deepEqual(pages, [['paragraph: First', 'paragraph: Second']]);
  assert.equal(note, 'The end of the document is missing.');
});

test('numbers beyond all bounds are read as they can be', async () => {
  const { pages } = await read(
    rtf(String.raw`\u99999999999 \uc-5\bin-99999\s-1\cellx-9999999999\f-1\'zz end\par\'`),
  );
  assert.deepEqual(pages, [['paragraph: \uFFFD end']]);
});

const BAD: readonly [what: string, rtf: string, reason: UnreadableReason][] = [
  ['of another type', 'Hello', 'damaged'],
  ['without text', rtf(''), 'empty'],
  ['with a hundred thousand groups in each other', rtf('{'.repeat(100_000)), 'too_large'],
];
for (const [what, bytes, reason] of BAD)
  test(`a file ${what} is refused`, async () => {
    await assert.rejects(
      read(bytes),
      (error) => error instanceof UnreadableDocument && error.reason === reason,
    );
  });
