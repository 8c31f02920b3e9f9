import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import fontkit from '@pdf-lib/fontkit';
import { PDFDocument, PDFName, PDFHexString, StandardFonts } from 'pdf-lib';
import { openPdfDocument } from '../../../packages/reader/src/pdf/pdf-document.ts';
import { onePage, showLines, writePdf } from '../../support/pdf-writer.ts';
import { shown } from '../../support/elements.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-pdf-'));
});
after(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function read(bytes: Uint8Array) {
  const path = join(folder, `${++files}.pdf`);
  await writeFile(path, bytes);
  const document = await openPdfDocument(path);
  const facts = await document.inspect();
  const [page] = await document.readPages(facts.profile, [1]);
  const elements = shown(page?.elements ?? []);
  return { document, facts, elements, text: elements.map(({ content }) => content).join('\n') };
}

const LINES = ['The captain reads the long report of the winter,', 'and the harbour is quiet.'];
const JOINED = LINES.join(' ');

test('Arabic is read in its order: ligatures, brackets, numbers and the article', async () => {
  const dejavu = dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json'));
  const pdf = await PDFDocument.create();
  pdf.registerFontkit(fontkit);
  const font = await pdf.embedFont(await readFile(join(dejavu, 'ttf/DejaVuSans.ttf')));
  const sentences = [
    'الأمر طويلا والاستهلاك (مال) كثير الآن إلى الإدارة.',
    'تقع المدينة على بعد 120 كيلومترا من البحر، ويسميها أهلها «عروس النهر» منذ عام 1874.',
  ];
  const page = pdf.addPage([595, 842]);
  for (const [at, text] of sentences.entries()) {
    let x = 545;
    // From the right, as it is written, with brackets turned around; the library would turn numbers as well.
    for (const [part] of text.matchAll(/[\u0600-\u06FF]+|\d+|\s|./gu)) {
      x -= font.widthOfTextAtSize(part, 12);
      const shown = '()«»'.includes(part) ? (')(»«'['()«»'.indexOf(part)] ?? '') : part;
      if (part !== ' ') page.drawText(shown, { x, y: 700 - at * 60, size: 12, font });
    }
  }
  const { text, facts } = await read(await pdf.save());
  assert.deepEqual(text.split('\n'), sentences);
  assert.equal(facts.language, 'ar');
});

/** A page with lines of letters of any script in the order in which they are drawn, from left to right. */
function pageOfLetters(lines: readonly (readonly string[])[], mapped: readonly string[] = []): Buffer {
  const hex = (text: string): string =>
    [...text].map((letter) => letter.charCodeAt(0).toString(16).padStart(4, '0')).join('');
  const shown = lines.map(
    (pieces, at) =>
      `BT /F1 12 Tf 40 ${260 - at * 40} Td ${pieces.map((piece) => `<${hex(piece)}> Tj`).join(' ')} ET`,
  );
  const ranges = ['00', '05', '06', 'f7'].map((high) => `<${high}00> <${high}ff> <${high}00>`);
  const map = [
    '/CMapName /M def /CMapType 2 def 1 begincodespacerange <0000> <ffff> endcodespacerange',
    `${ranges.length} beginbfrange ${ranges.join(' ')} endbfrange`,
    mapped.length > 0 ? `${mapped.length} beginbfchar ${mapped.join(' ')} endbfchar` : '',
  ].join('\n');
  const descendant =
    '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Serif /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 500 /W [1456 [0 0 0 0 0 0 0 0 0 0 0] 1473 [0 0]] >>';
  return writePdf([
    ...onePage(shown.join('\n')).slice(0, 4),
    `<< /Type /Font /Subtype /Type0 /BaseFont /Serif /Encoding /Identity-H /DescendantFonts [${descendant}] /ToUnicode 6 0 R >>`,
    { dictionary: '', bytes: Buffer.from(map) },
  ]);
}
const drawn = (word: string): string => [...word].toReversed().join('');

test('words from right to left in a line of Latin letters are read in their order', async () => {
  const lines = [
    ['He said ', drawn('שלום עולם'), ' (hello world) and left.'],
    ['They call it ', drawn('مرحبا'), ' here, or ', drawn('حبيبي'), '.'],
  ];
  const { text } = await read(pageOfLetters(lines));
  assert.equal(text, 'He said שלום עולם (hello world) and left.\nThey call it مرحبا here, or حبيبي.');
});

test('a word that is mapped to its last glyph is read, and no reason to recognise the page', async () => {
  const word = [...'حبيبي'].map((letter) => letter.charCodeAt(0).toString(16).padStart(4, '0'));
  const nothing = ['<1001> <>', '<1002> <>', '<1003> <>', '<1004> <>'];
  const { text, facts } = await read(
    pageOfLetters(
      [['They say ', '\u1001\u1002\u1003\u1004\u1005', ' here.']],
      [...nothing, `<1005> <${word.join('')}>`],
    ),
  );
  assert.equal(text, 'They say حبيبي here.');
  assert.deepEqual(facts.pagesToRecognise, []);
});

test('vowel signs follow their letters', async () => {
  const word = 'שָׁלוֹם';
  const { text } = await read(pageOfLetters([['They say ', drawn(word), ' here.']]));
  assert.equal(text, `They say ${word} here.`.normalize('NFC'));
});

test('text of a negative size is read the way that its matrix turns it', async () => {
  const turned = (line: string, y: number): string => `BT /F1 -12 Tf -1 0 0 -1 50 ${y} Tm (${line}) Tj ET`;
  const [first = '', second = ''] = LINES;
  assert.equal((await read(writePdf(onePage(`${turned(first, 260)}\n${turned(second, 246)}`)))).text, JOINED);
});

test('text is read however its page is turned, and where nobody sees it', async () => {
  for (const turns of [0, 90, 180, 270])
    assert.equal(
      (await read(writePdf(onePage(showLines(LINES), { page: `/Rotate ${turns}` })))).text,
      JOINED,
    );
  assert.equal((await read(writePdf(onePage(`3 Tr ${showLines(LINES)}`)))).text, JOINED);
  const upwards = 'BT /F1 12 Tf 0 1 -1 0 100 20 Tm (Upwards it runs along the margin) Tj ET';
  const { elements } = await read(writePdf(onePage(upwards)));
  const [element] = elements;
  assert.equal(element?.content, 'Upwards it runs along the margin');
  assert.ok(element.box.h > 5 * element.box.w, 'its box is as tall as it is drawn');
});

test('listings are no headings, though their font is bold', async () => {
  const pdf = await PDFDocument.create();
  const [body, code, bold] = await Promise.all(
    [StandardFonts.Helvetica, StandardFonts.CourierBold, StandardFonts.HelveticaBold].map((name) =>
      pdf.embedFont(name),
    ),
  );
  const page = pdf.addPage([595, 842]);
  page.drawText('Use of the pump', { x: 50, y: 780, size: 10, font: bold as never });
  page.drawText(JOINED, { x: 50, y: 740, size: 10, font: body as never });
  page.drawText('make install', { x: 50, y: 700, size: 10, font: code as never });
  page.drawText(JOINED, { x: 50, y: 660, size: 10, font: body as never });
  const { elements } = await read(await pdf.save());
  assert.deepEqual(
    elements.filter(({ type }) => type === 'heading').map(({ content }) => content),
    ['Use of the pump'],
  );
});

test('a cut of the family that is heavier than the text is bold, small capitals are set apart', async () => {
  const sentence = 'The captain reads the long report of the winter';
  const titlesIn = async (body: string, other: string): Promise<string[]> => {
    const [catalogue = '', pages = '', page, content] = onePage(
      `BT /F1 10 Tf 20 280 Td (${sentence}) Tj 0 -12 Td (${sentence}) Tj /F2 10 Tf 0 -30 Td (Use of the pump) Tj
       /F1 10 Tf 0 -16 Td (${sentence}) Tj 0 -12 Td (${sentence}) Tj ET`,
    );
    const font = (name: string): string =>
      `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
    assert.ok(typeof page === 'string');
    const named = page.replace('/F1 5 0 R', '/F1 5 0 R /F2 6 0 R');
    const { elements } = await read(
      writePdf([catalogue, pages, named, content ?? '', font(body), font(other)]),
    );
    return elements.filter(({ type }) => type === 'heading').map((heading) => heading.content);
  };
  for (const [body, other] of [
    ['HelveticaNeue-Light', 'HelveticaNeue-Roman'],
    ['HelveticaNeueLTStd-Lt', 'HelveticaNeueLTStd-Md'],
    ['SegoeUI-Light', 'SegoeUI'],
    ['Lato-Regular', 'Lato-Medium'],
    ['CMR10', 'CMCSC10'],
  ] as const)
    assert.deepEqual(await titlesIn(body, other), ['Use of the pump'], other);
  for (const [body, other] of [
    ['HelveticaNeue-Roman', 'HelveticaNeue-Light'],
    ['GillSans-Light', 'Minion-Regular'],
    ['Lato-Medium', 'Lato-Regular'],
  ] as const)
    assert.deepEqual(await titlesIn(body, other), [], other);
});

test('figures and small capitals with codes for private use are read', async () => {
  const pieces = [['Part \uF731.\uF734 of the \uF770\uF775\uF76D\uF770 in \uF772\uF7E9gion 7']];
  assert.equal((await read(pageOfLetters(pieces))).text, 'Part 1.4 of the pump in région 7');
});

test('areas are as large as what is seen of them, and the edges of the page are no lines', async () => {
  const cells = [0, 1, 2].flatMap((row) =>
    [0, 1].map((column) => {
      const [x, y] = [40 + column * 150, 194 - row * 20];
      return `q ${x} ${y} 150 20 re W n 0.${row + 7} g 0 0 400 300 re f Q BT /F1 10 Tf ${x + 4} ${y + 6} Td (cell ${row} ${column}) Tj ET`;
    }),
  );
  const { elements } = await read(
    writePdf(onePage(`0.9 g 0 0 400 300 re f 0 g ${showLines(['Tools'])} ${cells.join('\n')}`)),
  );
  const tables = elements.filter(({ type }) => type === 'table');
  assert.equal(tables.length, 1);
  for (const row of [0, 1, 2])
    assert.match(
      tables[0]?.content ?? '',
      new RegExp(String.raw`^\| cell ${row} 0 \| cell ${row} 1 \|$`, 'm'),
    );
});

test('what was filled into a form is text, and drawn for a recogniser and for people', async () => {
  const pdf = await PDFDocument.create();
  const page = pdf.addPage([400, 300]);
  const field = pdf.getForm().createTextField('name');
  field.setText('Margaret Fell');
  field.addToPage(page, { x: 40, y: 180, width: 300, height: 24, borderWidth: 0 });
  const { document, elements } = await read(await pdf.save());
  assert.deepEqual(
    elements.map(({ content }) => content),
    ['Margaret Fell'],
  );
  const { grey } = await document.renderPage(1);
  assert.ok(grey.filter((level) => level < 128).length > 1_000);
});

test('metadata is read with its time zone, and doubtful dates are none', async () => {
  const dates: [written: string, meant: string | null][] = [
    ["D:20260131120000+01'00'", '2026-01-31T11:00:00.000Z'],
    ['D:20260131120000Z', '2026-01-31T12:00:00.000Z'],
    ['D:2026', '2026-01-01T00:00:00.000Z'],
    ['D:20261350', null],
    ['yesterday', null],
  ];
  for (const [written, meant] of dates) {
    const pdf = await PDFDocument.create();
    pdf.addPage().drawText(JOINED, { size: 10 });
    pdf.setTitle('Bär und Öl');
    const info = pdf.context.lookup(pdf.context.trailerInfo.Info) as never as {
      set(key: PDFName, value: PDFHexString): void;
    };
    info.set(PDFName.of('CreationDate'), PDFHexString.fromText(written));
    const { facts } = await read(await pdf.save());
    assert.deepEqual([facts.title, facts.createdAt], ['Bär und Öl', meant], written);
  }
});

test('a page that cannot be read fails alone', async () => {
  const second = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 4 0 R /Resources << >> >>';
  const objects = onePage(showLines(LINES)).map((object, index) =>
    index === 1 ? '<< /Type /Pages /Kids [3 0 R 6 0 R 3 0 R] /Count 3 >>' : object,
  );
  const { document, facts } = await read(
    writePdf([...objects, second.replace('/Type /Page ', '/Type /Font ')]),
  );
  assert.equal(facts.pageCount, 3);
  const pages = await document.readPages(facts.profile, [1, 3]);
  assert.deepEqual(
    pages.map(({ elements }) => shown(elements)[0]?.content),
    [JOINED, JOINED],
  );
});

test('tags name titles, the cells of tables and the order of columns', async () => {
  const show = (pieces: readonly [tag: string, x: number, y: number, text: string][]): string =>
    pieces
      .map(
        ([tag, x, y, text], id) =>
          `/${tag} << /MCID ${id} >> BDC BT /F1 10 Tf ${x} ${y} Td (${text}) Tj ET EMC`,
      )
      .join('\n');
  const tagged = (content: string, tree: string[]): Buffer => {
    const objects = onePage(content, {
      page: '/StructParents 0',
      catalogue: '/MarkInfo << /Marked true >> /StructTreeRoot 6 0 R',
    });
    // The elements have numbers from 8 on; content belongs to those that name it.
    const owners = new Map<number, number>();
    for (const [at, element] of tree.entries())
      for (const id of /\/K \[?([\d ]+)\]?$/.exec(element)?.[1]?.trim().split(' ') ?? [])
        owners.set(Number(id), 8 + at);
    const parents = [...owners].toSorted(([a], [b]) => a - b).map(([, owner]) => `${owner} 0 R`);
    const top = tree.flatMap((element, at) => (element.includes('/P 7 0 R') ? [`${8 + at} 0 R`] : []));
    return writePdf([
      ...objects,
      `<< /Type /StructTreeRoot /K [7 0 R] /ParentTree << /Nums [0 [${parents.join(' ')}]] >> >>`,
      `<< /Type /StructElem /S /Document /P 6 0 R /K [${top.join(' ')}] >>`,
      ...tree.map((element) => `<< /Type /StructElem /Pg 3 0 R ${element} >>`),
    ]);
  };
  const pdf = tagged(
    show([
      ['P', 40, 260, 'The pump is quiet, and'],
      ['H2', 210, 260, 'Of the valve'],
      ['P', 210, 246, 'The valve is loud, or so'],
      ['P', 40, 246, 'the water is cold.'],
      ['P', 210, 232, 'they say in the harbour.'],
      ['TD', 40, 100, 'Part'],
      ['TD', 90, 100, 'Price'],
      ['TD', 40, 80, 'Bolt'],
      ['TD', 140, 80, '3'],
      ['TD', 90, 80, 'steel'],
    ]),
    [
      '/S /P /P 7 0 R /K [0 3]',
      '/S /H2 /P 7 0 R /K 1',
      '/S /P /P 7 0 R /K [2 4]',
      '/S /Table /P 7 0 R /K [12 0 R 13 0 R]',
      '/S /TR /P 11 0 R /K [14 0 R 15 0 R]',
      '/S /TR /P 11 0 R /K [16 0 R 17 0 R 18 0 R]',
      '/S /TD /P 12 0 R /K 5',
      '/S /TD /P 12 0 R /A << /O /Table /ColSpan 2 >> /K 6',
      '/S /TD /P 13 0 R /K 7',
      '/S /TD /P 13 0 R /K 9',
      '/S /TD /P 13 0 R /K 8',
    ],
  );
  const path = join(folder, 'tagged.pdf');
  await writeFile(path, pdf);
  const document = await openPdfDocument(path);
  const [page] = await document.readPages((await document.inspect()).profile, [1]);
  assert.deepEqual(
    page?.elements.map((element) =>
      element.type === 'table'
        ? [element.rows, element.merged]
        : 'content' in element && [element.type, element.content],
    ),
    [
      ['paragraph', 'The pump is quiet, and the water is cold.'],
      ['heading', 'Of the valve'],
      ['paragraph', 'The valve is loud, or so they say in the harbour.'],
      [
        [
          ['Part', 'Price', 'Price'],
          ['Bolt', 'steel', '3'],
        ],
        [{ row: 0, column: 1, rows: 1, columns: 2 }],
      ],
    ],
  );
});

test('links that lead to an address have their target, in paragraphs and cells', async () => {
  const link = (action: string, rect: string): string =>
    `<< /Type /Annot /Subtype /Link /Rect [${rect}] /A ${action} >>`;
  const out = (target: string): string => `<< /S /URI /URI (${target}) >>`;
  const annotations = [
    link(out('https://pumps.example/manual'), '84 255 125 275'),
    link('<< /S /GoTo /D [3 0 R /Fit] >>', '40 240 200 255'),
    link(out('javascript:alert\\(1\\)'), '40 240 200 255'),
  ];
  const content = showLines(['See the manual of the pump before', 'anybody opens a valve.']);
  const { document, facts } = await read(
    writePdf(onePage(content, { page: `/Annots [${annotations.join(' ')}]` })),
  );
  const [page] = await document.readPages(facts.profile, [1]);
  const [element] = page?.elements ?? [];
  assert.ok(element?.type === 'paragraph');
  const marks = (element.marks ?? []).map((mark) => [
    element.content.slice(mark.start, mark.end),
    mark.kind === 'link' && mark.target,
  ]);
  assert.deepEqual(marks, [['manual', 'https://pumps.example/manual']]);
});

test('the outline gives titles and levels, also one that goes in circles', async () => {
  const lines = showLines(['Ships', ...LINES, 'Of the sea', ...LINES]);
  const item = (title: string, more: string): string => `<< /Title (${title}) /Dest [3 0 R /Fit] ${more} >>`;
  const outline = [
    '<< /Type /Outlines /First 7 0 R /Last 7 0 R >>',
    item('1 Ships', '/Parent 6 0 R /First 8 0 R /Last 8 0 R'),
    item('Of the sea', '/Parent 7 0 R /Next 8 0 R /First 7 0 R'),
  ];
  const page = onePage(lines, { catalogue: '/Outlines 6 0 R' });
  const { elements } = await read(writePdf([...page, ...outline]));
  assert.deepEqual(
    elements.map(({ type, content, metadata }) => [type, content, metadata['level']]),
    [
      ['heading', 'Ships', 1],
      ['paragraph', JOINED, undefined],
      ['heading', 'Of the sea', 2],
      ['paragraph', JOINED, undefined],
    ],
  );
});
