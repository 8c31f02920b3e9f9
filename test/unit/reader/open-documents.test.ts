/** OpenDocument: what LibreOffice shows is read, and hostile files are refused. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readingNote } from 'darkroom-reader/document';
import { openDocument, readCover } from 'darkroom-reader/open';
import { UnreadableDocument, type UnreadableReason } from 'darkroom-reader';
import { shown } from '../../support/elements.ts';
import { writeOpenDocument } from '../../support/open-documents.ts';
import { writeZip } from '../../support/zip-writer.ts';

let folder: string;
before(async () => (folder = await mkdtemp(join(tmpdir(), 'darkroom-odf-'))));
after(() => rm(folder, { recursive: true, force: true }));

async function read(type: 'odt' | 'ods' | 'odp', bytes: Uint8Array) {
  const path = join(folder, `document.${type}`);
  await writeFile(path, bytes);
  const document = await openDocument({ path, type });
  const facts = await document.inspect();
  const numbers = Array.from({ length: document.pageCount }, (_, at) => at + 1);
  const pages = await document.readPages(facts.profile, numbers);
  return {
    facts,
    note: readingNote(facts.profile),
    pages: pages.map(({ elements }) =>
      shown(elements).map(({ type: kind, content, metadata: { role } }) => `${role ?? kind}: ${content}`),
    ),
  };
}

const LISTS = `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
  <text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" text:display-levels="2"/>
  <text:list-level-style-bullet text:level="3" text:bullet-char="•"/></text:list-style>`;
const STYLES = `${LISTS}
  <style:style style:name="S" style:family="text"><style:text-properties style:text-line-through-style="solid"/></style:style>
  <style:style style:name="U" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>
  <style:style style:name="D" style:family="text"><style:text-properties style:text-position="-33% 58%"/></style:style>
  <style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>
  <style:style style:name="B" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>
  <style:style style:name="P1" style:family="paragraph" style:parent-style-name="Preformatted_20_Text"/>
  <style:style style:name="T1" style:family="table"><style:table-properties table:display="false"/></style:style>
  <style:style style:name="dp" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>`;
const NAMED = `<office:styles><style:style style:name="Preformatted_20_Text" style:family="paragraph"><style:text-properties style:font-name="Liberation Mono"/></style:style>
  <text:outline-style><text:outline-level-style text:level="1" style:num-format="1"/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style></office:styles>
  <office:master-styles><style:master-page style:name="Standard"><style:header><text:p>Mill report</text:p></style:header></style:master-page></office:master-styles>`;
const text = (body: string) => writeOpenDocument('text', body, { styles: STYLES, named: NAMED });

test('a text: headings with numbers, marks, notes, remarks, hidden and deleted text, listings, pages', async () => {
  const { facts, pages } = await read(
    'odt',
    text(`<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion></text:changed-region></text:tracked-changes>
      <text:h text:outline-level="1">Scope</text:h><text:h text:outline-level="2">Parts</text:h>
      <text:p>Area 25 m<text:span text:style-name="U">2</text:span>, CO<text:span text:style-name="D">2</text:span>,<text:s text:c="2"/>
        <text:span text:style-name="S">old</text:span><loext:content-control loext:showing-place-holder="true">Choose</loext:content-control> <text:a xlink:href="https://mill.example/a">new</text:a><text:span text:style-name="H">secret</text:span><text:change text:change-id="1"/>.<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>By hand.</text:p></text:note-body></text:note><office:annotation><dc:creator>A</dc:creator><text:p>Check this</text:p></office:annotation></text:p>
      <text:section text:display="none"><text:p>hidden section</text:p></text:section>
      <text:p text:style-name="P1">if a:</text:p><text:p text:style-name="P1"><text:s text:c="3"/>b()</text:p>
      <text:p text:style-name="B">Second page</text:p>
      <text:p><draw:frame><draw:image/><svg:title>Wheel</svg:title><svg:desc>of oak</svg:desc></draw:frame><draw:frame><draw:text-box><text:p>Boxed</text:p></draw:text-box></draw:frame></text:p>`),
  );
  assert.deepEqual(
    [facts.title, facts.author, facts.createdAt?.slice(0, 7)],
    ['The mill', 'A. Carpenter', '2024-05'],
  );
  assert.deepEqual(pages, [
    [
      'page_header: Mill report',
      'heading: 1 Scope',
      'heading: 1.1 Parts',
      'paragraph: Area 25 m², CO2, ~~old~~ [new](https://mill.example/a).[1]',
      'code: if a:\n   b()',
      'footnote: [1] By hand.',
      'notes: Check this',
    ],
    ['paragraph: Second page', 'figure: Wheel: of oak', 'paragraph: Boxed'],
  ]);
});

test('lists keep their numbers, go on where they say so, and hold further paragraphs', async () => {
  const item = (content: string, attributes = '') =>
    `<text:list-item ${attributes}>${content}</text:list-item>`;
  const list = (items: string, attributes = '') => `<text:list ${attributes}>${items}</text:list>`;
  const { pages } = await read(
    'odt',
    text(
      list(
        item(`<text:p>One</text:p><text:p>more</text:p>`) +
          item(
            `<text:p>Two</text:p>${list(item('<text:p>inner</text:p>') + item(`<text:p>next</text:p>${list(item('<text:p>deep</text:p>'))}`))}`,
          ) +
          '<text:list-header><text:p>no number</text:p></text:list-header>',
        'text:style-name="L" xml:id="l1"',
      ) +
        '<text:p>Between</text:p>' +
        list(item('<text:p>Three</text:p>'), 'text:style-name="L" text:continue-list="l1"') +
        list(
          item('<text:p>Nine</text:p>', 'text:start-value="9"') + item('<text:p>Ten</text:p>'),
          'text:style-name="L"',
        ),
    ),
  );
  assert.deepEqual(pages[0]?.slice(1), [
    'list: 1. One more\n2. Two\n  2.a) inner\n  2.b) next\n    - deep\n- no number',
    'paragraph: Between',
    'list: 3. Three',
    'list: 9. Nine\n10. Ten',
  ]);
});

test('a table of a text: merged cells, repeated cells, a list in a cell, a table of one cell', async () => {
  const cell = (content: string, attributes = '') =>
    `<table:table-cell ${attributes}><text:p>${content}</text:p></table:table-cell>`;
  const { pages } = await read(
    'odt',
    text(`<table:table><table:table-header-rows><table:table-row>${cell('Part')}${cell('Price', 'table:number-columns-spanned="2"')}<table:covered-table-cell/></table:table-row></table:table-header-rows>
      <table:table-row>${cell('Bolt', 'table:number-rows-spanned="2"')}${cell('1.50', 'table:number-columns-repeated="2"')}</table:table-row>
      <table:table-row><table:covered-table-cell/>${cell('2.00')}${cell('3.00')}</table:table-row></table:table>
      <table:table><table:table-row>${cell('Framed')}</table:table-row></table:table>`),
  );
  assert.deepEqual(pages[0]?.slice(1), [
    'table: | Part | Price | Price |\n| --- | --- | --- |\n| Bolt | 1.50 | 1.50 |\n| Bolt | 2.00 | 3.00 |',
    'paragraph: Framed',
  ]);
});

test('a workbook: values as shown, dates as ISO 8601, repeated, merged and hidden cells, remarks', async () => {
  const cell = (content: string, attributes = '') =>
    `<table:table-cell ${attributes}><text:p>${content}</text:p></table:table-cell>`;
  const { pages, note } = await read(
    'ods',
    writeOpenDocument(
      'spreadsheet',
      `<table:table table:name="Stock"><table:table-column/><table:table-column table:visibility="collapse"/><table:table-column table:number-columns-repeated="16382"/>
        <table:table-row>${cell('Part')}${cell('cost')}${cell('Day')}${cell('Price', 'table:number-columns-spanned="2"')}<table:covered-table-cell/></table:table-row>
        <table:table-row>${cell('Bolt')}${cell('1')}${cell('15.01.24', 'office:value-type="date" office:date-value="2024-01-15"')}${cell('1,50 €', 'office:value-type="currency" office:value="1.5" table:number-columns-repeated="2"')}<table:table-cell table:number-columns-repeated="16379"/></table:table-row>
        <table:table-row table:visibility="collapse">${cell('hidden row')}</table:table-row>
        <table:table-row table:visibility="filter">${cell('Nut')}<table:table-cell/><table:table-cell office:value-type="float" office:value="7"/>${cell('1:30 PM', 'office:value-type="time" office:time-value="PT13H30M00S"')}<table:table-cell><office:annotation><text:p>Ask</text:p></office:annotation><text:p>2</text:p></table:table-cell></table:table-row>
        <table:table-row table:number-rows-repeated="1048571"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>
      <table:table table:name="Secret" table:style-name="T1"><table:table-row>${cell('x')}</table:table-row></table:table>`,
      { styles: STYLES },
    ),
  );
  assert.deepEqual(pages, [
    [
      'heading: Stock',
      'table: | Part | Day | Price | Price |\n| --- | --- | --- | --- |\n| Bolt | 2024-01-15 | 1,50 € | 1,50 € |\n| Nut | 7 | 13:30 | 2 |',
      'notes: Ask',
    ],
  ]);
  assert.equal(note, 'Hidden rows and columns were not read. Hidden sheets were not read: Secret.');
});

test('a workbook: times with fractions of seconds stay as they are shown', async () => {
  const times = [
    ['PT00H00M45.3S', '00:45.30'],
    ['PT00H03M59.9999S', '0:04:00'],
    ['PT13H30M15.000S', '01:30:15 PM'],
  ].map(
    ([value, shown]) =>
      `<table:table-cell office:value-type="time" office:time-value="${value}"><text:p>${shown}</text:p></table:table-cell>`,
  );
  const { pages } = await read(
    'ods',
    writeOpenDocument(
      'spreadsheet',
      `<table:table table:name="Times"><table:table-row>${times.join('')}</table:table-row><table:table-row>${times.join('')}</table:table-row></table:table>`,
    ),
  );
  assert.match(pages[0]?.[1] ?? '', /^table: \| 00:45\.30 \| 0:04:00 \| 13:30:15 \|\n/);
});

test('a workbook: dates have their time to the millisecond', async () => {
  const shown = [
    ['2024-05-06T10:11:12.500000000', '2024-05-06 10:11:12.5'],
    ['2024-05-06T10:11:11.999999999', '2024-05-06 10:11:12'],
    ['2024-05-06T23:59:59.9999', '2024-05-07'],
    ['2024-05-06T10:11', '2024-05-06 10:11'],
    ['2024-05-06', '2024-05-06'],
  ];
  const cells = shown.map(
    ([value]) =>
      `<table:table-cell office:value-type="date" office:date-value="${value}"><text:p>x</text:p></table:table-cell>`,
  );
  const { pages } = await read(
    'ods',
    writeOpenDocument(
      'spreadsheet',
      `<table:table table:name="Dates"><table:table-row>${cells.join('')}</table:table-row></table:table>`,
    ),
  );
  assert.equal(pages[0]?.[1]?.split('\n')[0], `table: | ${shown.map(([, text]) => text).join(' | ')} |`);
});

test('a presentation: shapes of a group in their order, together', async () => {
  const box = (content: string, y: number) =>
    `<draw:frame svg:x="1cm" svg:y="${y}cm" svg:width="9cm" svg:height="1cm"><draw:text-box><text:p>${content}</text:p></draw:text-box></draw:frame>`;
  const { pages } = await read(
    'odp',
    writeOpenDocument(
      'presentation',
      `<draw:page>${box('between', 7)}<draw:g>${box('low', 9)}${box('high', 5)}</draw:g>${box('top', 1)}</draw:page>`,
    ),
  );
  assert.deepEqual(pages, [['paragraph: top', 'paragraph: high', 'paragraph: low', 'paragraph: between']]);
});

test('a presentation: a group has its linked shapes, and is where its first shape with a place is', async () => {
  const box = (content: string, y: number) =>
    `<draw:frame svg:x="1cm" svg:y="${y}cm" svg:width="9cm" svg:height="1cm"><draw:text-box><text:p>${content}</text:p></draw:text-box></draw:frame>`;
  const { pages } = await read(
    'odp',
    writeOpenDocument(
      'presentation',
      `<draw:page><draw:g><svg:title>Group</svg:title><svg:desc>Two boxes</svg:desc>
         <draw:connector svg:x1="1cm" svg:y1="10cm" svg:x2="2cm" svg:y2="10cm"/>
         ${box('plain', 10)}<draw:a xlink:href="https://example.org">${box('linked', 12)}</draw:a></draw:g>${box('top', 2)}</draw:page>`,
    ),
  );
  assert.deepEqual(pages, [['paragraph: top', 'paragraph: plain', 'paragraph: linked']]);
});

test('a presentation: slides, titles first, columns, tables, notes and hidden slides', async () => {
  const box = (content: string, place: string, attributes = '') =>
    `<draw:frame ${place} ${attributes}><draw:text-box>${content}</draw:text-box></draw:frame>`;
  const at = (x: number, y: number, width: number, height: number) =>
    `svg:x="${x}cm" svg:y="${y}cm" svg:width="${width}cm" svg:height="${height}cm"`;
  // Notes do not say where a slide begins.
  const ARABIC = 'تحدث ببطء '.repeat(9).trim();
  const { pages, note } = await read(
    'odp',
    writeOpenDocument(
      'presentation',
      `<draw:page>${box('<text:p>Right text</text:p>', at(14, 6, 10, 9))}${box('<text:p>Left text</text:p>', at(1, 6, 10, 9))}
         ${box('<text:p>Left</text:p>', at(1, 4, 10, 1))}${box('<text:p>Right</text:p>', at(14, 4, 10, 1))}
         ${box('<text:p>Compared</text:p>', at(1, 1, 24, 2), 'presentation:class="title"')}
         ${box('<text:p>click to add</text:p>', at(1, 1, 2, 2), 'presentation:class="outline" presentation:placeholder="true"')}
         <draw:custom-shape ${at(1, 16, 5, 1)}><text:p>Shape</text:p></draw:custom-shape>
         <presentation:notes><draw:page-thumbnail/>${box(`<text:p>${ARABIC}</text:p>`, '', 'presentation:class="notes"')}</presentation:notes></draw:page>
       <draw:page draw:style-name="dp">${box('<text:p>hidden</text:p>', at(1, 1, 2, 2))}</draw:page>
       <draw:page>${box('<text:p>End</text:p>', at(1, 1, 2, 2))}</draw:page>`,
      { styles: STYLES },
    ),
  );
  assert.deepEqual(pages, [
    [
      'heading: Compared',
      'paragraph: Left',
      'paragraph: Left text',
      'paragraph: Right',
      'paragraph: Right text',
      'paragraph: Shape',
      `notes: ${ARABIC}`,
    ],
    [],
    ['paragraph: End'],
  ]);
  assert.equal(note, 'Hidden slides were not read: 2.');
});

const cells = (times: string) =>
  `<table:table><table:table-row table:number-rows-repeated="${times}"><table:table-cell table:number-columns-repeated="${times}"><text:p>x</text:p></table:table-cell></table:table-row></table:table>`;
const BAD: readonly [
  what: string,
  type: 'odt' | 'ods' | 'odp',
  bytes: () => Uint8Array,
  reason: UnreadableReason,
][] = [
  ['of another kind', 'odt', () => writeOpenDocument('spreadsheet', cells('1')), 'damaged'],
  ['cut off', 'odt', () => text('<text:p>x</text:p>').subarray(0, 300), 'damaged'],
  [
    'of a million times a million cells',
    'ods',
    () => writeOpenDocument('spreadsheet', cells('1000000')),
    'too_large',
  ],
  ['with a table of as many', 'odt', () => text(cells('1000000')), 'too_large'],
  ['without text', 'odt', () => writeOpenDocument('text', '<text:p/>'), 'empty'],
  [
    'that is encrypted',
    'odt',
    () =>
      writeOpenDocument('text', '<text:p>x</text:p>', {
        others: [
          {
            name: 'META-INF/manifest.xml',
            content:
              '<m:manifest><m:file-entry manifest:full-path="content.xml"><m:encryption-data/></m:file-entry></m:manifest>',
          },
        ],
      }),
    'encrypted',
  ],
];
for (const [what, type, bytes, reason] of BAD)
  test(`a file ${what} is refused`, async () => {
    await assert.rejects(
      read(type, bytes()),
      (error) => error instanceof UnreadableDocument && error.reason === reason,
    );
  });

test('lists and sections in each other, and styles based on themselves, end', async () => {
  const deep = (name: string) =>
    `<text:${name}>`.repeat(1_000) +
    '<text:p text:style-name="X">deep</text:p>' +
    `</text:${name}>`.repeat(1_000);
  const bytes = writeOpenDocument(
    'text',
    deep('list') + deep('section') + '<text:p text:style-name="X">end</text:p>',
    {
      styles: '<style:style style:name="X" style:family="paragraph" style:parent-style-name="X"/>',
    },
  );
  const { pages } = await read('odt', bytes);
  assert.equal(pages[0]?.at(-1), 'paragraph: end');
});

test('the thumbnail that LibreOffice writes is the cover', async () => {
  const path = join(folder, 'with-cover.odt');
  const picture = Buffer.from('a picture');
  const entries = [
    { name: 'content.xml', content: '<office:document-content/>' },
    { name: 'Thumbnails/thumbnail.png', content: picture },
  ];
  await writeFile(path, writeZip(entries));
  assert.deepEqual(await readCover({ path, type: 'odt' }), picture);
});
