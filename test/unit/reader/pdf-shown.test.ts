import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  degrees,
  PDFDocument,
  PDFName,
  PDFNumber,
  type PDFObject,
  type PDFPage,
  type PDFRef,
  PDFString,
  StandardFonts,
} from 'pdf-lib';
import { type PageElement, readingNote } from 'darkroom-reader/document';
import { openPdfDocument } from '../../../packages/reader/src/pdf/pdf-document.ts';
import { openPdf } from '../../../packages/reader/src/pdf/open-pdf.ts';
import { createPageReader } from '../../../packages/reader/src/pdf/read-page.ts';
import { createRunCollector } from '../../../packages/reader/src/pdf/collect-runs.ts';
import { listed } from '../../support/elements.ts';

let folder: string;
before(async () => (folder = await mkdtemp(join(tmpdir(), 'darkroom-shown-'))));
after(() => rm(folder, { recursive: true, force: true }));

let files = 0;
/** The elements of a document's pages. */
async function read(pdf: PDFDocument): Promise<(readonly PageElement[])[]> {
  const path = join(folder, `${++files}.pdf`);
  await writeFile(path, await pdf.save());
  const document = await openPdfDocument(path);
  const { profile } = await document.inspect();
  const numbers = Array.from({ length: document.pageCount }, (_, at) => at + 1);
  return (await document.readPages(profile, numbers)).map(({ elements }) => elements);
}
const texts = (elements: readonly PageElement[] = []): string[] =>
  elements.map(({ role }, at) => `${role ?? ''}${listed(elements)[at]?.replace(/^\w+/, '') ?? ''}`);

const SENTENCE = 'The harbour is quiet in the winter, and the captain reads.';

async function newPage(): Promise<{ pdf: PDFDocument; page: PDFPage }> {
  const pdf = await PDFDocument.create();
  const page = pdf.addPage([400, 500]);
  page.drawText(SENTENCE, { x: 30, y: 460, size: 11 });
  return { pdf, page };
}

test('values of a form stand beside their labels: typed, chosen, ticked; passwords are not read', async () => {
  const { pdf, page } = await newPage();
  const form = pdf.getForm();
  const place = (y: number, width = 160) => ({ x: 150, y, width, height: 18, borderWidth: 0 });
  const label = (text: string, y: number) => page.drawText(text, { x: 30, y: y + 5, size: 11 });
  const name = form.createTextField('name');
  name.setText('Margaret Fell');
  name.addToPage(page, place(400));
  label('Name:', 400);
  const city = form.createDropdown('city');
  city.addOptions(['Bergen', 'Oslo']);
  city.select('Oslo');
  city.addToPage(page, place(370));
  label('City:', 370);
  for (const [at, isTicked] of [true, false].entries()) {
    const box = form.createCheckBox(`box ${at}`);
    box.addToPage(page, { ...place(340 - at * 30, 14), height: 14 });
    if (isTicked) box.check();
    label(`Option ${at}:`, 340 - at * 30);
  }
  const secret = form.createTextField('secret');
  secret.enablePassword();
  secret.setText('harbour-7');
  secret.addToPage(page, place(250));
  label('Password:', 250);
  const [elements = []] = await read(pdf);
  const text = listed(elements).join('\n');
  assert.match(text, /Name: Margaret Fell/);
  assert.match(text, /City: Oslo/);
  assert.match(text, /Option 0: ☒/);
  assert.match(text, /Option 1: ☐/);
  assert.doesNotMatch(text, /harbour-7/);
});

test('lists of a form show what was chosen, not its codes, and all of several', async () => {
  const { pdf, page } = await newPage();
  const form = pdf.getForm();
  const choose = (
    name: string,
    y: number,
    chosen: readonly string[],
    options: readonly (string | string[])[],
  ) => {
    const list = name === 'Colour' ? form.createDropdown(name) : form.createOptionList(name);
    list.addToPage(page, { x: 150, y, width: 160, height: 18, borderWidth: 0 });
    const text = (value: string) => PDFString.of(value);
    const { dict } = list.acroField;
    const all = options.map((option) => (typeof option === 'string' ? text(option) : option.map(text)));
    dict.set(PDFName.of('Opt'), pdf.context.obj(all));
    const [only, ...others] = chosen.map(text);
    dict.set(PDFName.of('V'), only && others.length === 0 ? only : pdf.context.obj(chosen.map(text)));
    page.drawText(`${name}:`, { x: 30, y: y + 5, size: 11 });
  };
  choose(
    'Colour',
    400,
    ['b'],
    [
      ['r', 'Red'],
      ['b', 'Blue'],
    ],
  );
  choose('Parts', 360, ['Bolt', 'Washer'], ['Bolt', 'Nut', 'Washer']);
  const text = listed((await read(pdf))[0] ?? []).join('\n');
  assert.match(text, /Colour: Blue/);
  assert.match(text, /Parts: Bolt, Washer/);
});

test('of the lists of a page, the first 10,000 options are looked at', async () => {
  const { pdf, page } = await newPage();
  const list = pdf.getForm().createOptionList('Parts');
  for (const y of [400, 370]) list.addToPage(page, { x: 30, y, width: 160, height: 18, borderWidth: 0 });
  const options = Array.from({ length: 6_000 }, (_, at) =>
    [`code ${at}`, `Part ${at}`].map((text) => PDFString.of(text)),
  );
  list.acroField.dict.set(PDFName.of('Opt'), pdf.context.obj(options));
  list.acroField.dict.set(PDFName.of('V'), PDFString.of('code 5999'));
  assert.deepEqual(texts((await read(pdf))[0]), [`: ${SENTENCE}`, ': Part 5999 code 5999']);
});

test('typed text is text, remarks are notes, and what is hidden is neither', async () => {
  const { pdf, page } = await newPage();
  const annotate = (kind: string, contents: string, y: number, flags = 0, name = 'None') =>
    page.node.addAnnot(
      pdf.context.register(
        pdf.context.obj({
          Type: 'Annot',
          Subtype: kind,
          Rect: [30, y, 300, y + 20],
          Contents: PDFString.of(contents),
          Name: name,
          F: flags,
        }),
      ),
    );
  annotate('FreeText', 'Approved on 3 March', 380);
  annotate('Highlight', 'Is that so?', 340);
  annotate('Text', 'Ask the captain', 300);
  annotate('Stamp', 'by Ann', 280, 0, 'SBNotApproved');
  annotate('FreeText', 'never shown', 260, 2);
  assert.deepEqual(texts((await read(pdf))[0]), [
    `: ${SENTENCE}`,
    ': Approved on 3 March',
    'notes: Is that so?',
    'notes: Ask the captain',
    'notes: Not Approved: by Ann',
  ]);
});

test('what stamps, signatures and watermarks draw is a note, what typed text without contents draws is text', async () => {
  const { pdf, page } = await newPage();
  const { context } = pdf;
  const font = (await pdf.embedFont(StandardFonts.Helvetica)).ref;
  const annotate = (
    kind: string,
    y: number,
    lines: readonly string[],
    entries: Record<string, PDFObject> = {},
  ) => {
    const drawn = lines.map((line, at) => `BT /F 9 Tf 2 ${26 - at * 12} Td (${line}) Tj ET`);
    const form = {
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [0, 0, 200, 40],
      Resources: { Font: { F: font } },
    };
    const N = context.register(context.stream(drawn.join(' '), form));
    const all = { Type: 'Annot', Subtype: kind, Rect: [30, y, 230, y + 40], F: 4, AP: { N }, ...entries };
    const annotation = context.register(context.obj(all));
    page.node.addAnnot(annotation);
    return annotation;
  };
  annotate('Stamp', 380, ['PAID', '3 March 2026'], { Name: PDFName.of('Approved') });
  annotate('Stamp', 340, ['Received'], { Contents: PDFString.of('Received') });
  annotate('Stamp', 300, [], { Name: PDFName.of('Draft') });
  annotate('Watermark', 260, ['Copy for Ann']);
  annotate('FreeText', 220, ['See the letter of May']);
  annotate('FreeText', 180, ['Drawn'], { Contents: PDFString.of('Typed') });
  annotate('Square', 140, ['Drawn in a shape'], { F: PDFNumber.of(2) });
  const signature = annotate('Widget', 100, ['Digitally signed by', 'Margaret Fell'], {
    FT: PDFName.of('Sig'),
    T: PDFString.of('signature'),
  });
  pdf.getForm().acroForm.addField(signature);
  assert.deepEqual(texts((await read(pdf))[0]), [
    `: ${SENTENCE}`,
    ': See the letter of May',
    ': Typed',
    'notes: PAID\n3 March 2026',
    'notes: Received',
    'notes: Draft',
    'notes: Copy for Ann',
    'notes: Digitally signed by\nMargaret Fell',
  ]);
});

const RICH = 'xmlns="http://www.w3.org/1999/xhtml"';
const DATA = `<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><dd:dataDescription xmlns:dd="d"><Name>String</Name></dd:dataDescription>
<xfa:data><form1><Name>Margaret Fell</Name><Address><City>Bergen &amp; Oslo</City><Street/></Address>
  <Notes><body ${RICH}><p>One <b>two</b>
    three</p><p>four</p></body></Notes><Remark><body ${RICH}>Loose <i>text</i></body></Remark>
  <Letter><body>Dear Ann</body><Sum>12</Sum></Letter>
  <Photo xfa:contentType="image/jpg">aGFyYm91cg==</Photo>
</form1></xfa:data></xfa:datasets>`;
const VALUES = [
  ': Name: Margaret Fell',
  ': City: Bergen & Oslo',
  ': Notes: One two three\nfour',
  ': Remark: Loose text',
  ': body: Dear Ann',
  ': Sum: 12',
];
const FORMS: readonly [
  what: string,
  xfa: (stream: (xml: string) => PDFRef) => PDFObject[] | PDFRef,
  values: string[],
][] = [
  ['without data', (stream) => stream('<xdp/>'), []],
  [
    'with packets',
    (stream) => [PDFString.of('config'), stream('<a/>'), PDFString.of('datasets'), stream(DATA)],
    VALUES,
  ],
  ['in one piece', (stream) => stream(`<xdp:xdp xmlns:xdp="x">${DATA}</xdp:xdp>`), VALUES],
  [
    'with entities of its own',
    (stream) => [
      PDFString.of('datasets'),
      stream(`<!DOCTYPE a [<!ENTITY b "c">]>${DATA.replace('12', '&b;')}`),
    ],
    [],
  ],
  ['with damaged data', (stream) => [PDFString.of('datasets'), stream(DATA.slice(0, 300))], []],
  [
    'nested too deeply',
    (stream) => [PDFString.of('datasets'), stream(DATA.replace('<City>', '<a>'.repeat(600)))],
    [],
  ],
  [
    'with several packets of data',
    (stream) => [PDFString.of('datasets'), stream('<a/>'), PDFString.of('datasets'), stream(DATA)],
    [],
  ],
];
for (const [what, xfa, values] of FORMS)
  test(`a form ${what} that programs lay out themselves has a note, and what was filled in`, async () => {
    const { pdf } = await newPage();
    const { context } = pdf;
    pdf.catalog.set(PDFName.of('NeedsRendering'), context.obj(true));
    const XFA = xfa((xml) => context.register(context.stream(xml)));
    pdf.catalog.set(PDFName.of('AcroForm'), context.obj({ Fields: [], XFA }));
    assert.deepEqual(texts((await read(pdf))[0]), [`: ${SENTENCE}`, ...values]);
    const { profile } = await (await openPdfDocument(join(folder, `${files}.pdf`))).inspect();
    assert.match(readingNote(profile) ?? '', /XFA/);
  });

test('of a form that programs lay out themselves, the first 5,000 values are read', async () => {
  const { pdf } = await newPage();
  const { context } = pdf;
  const fields = '<Part>bolt</Part>'.repeat(6_000);
  const data = `<datasets><data>${fields}</data></datasets>`;
  pdf.catalog.set(PDFName.of('NeedsRendering'), context.obj(true));
  const XFA = [PDFString.of('datasets'), context.register(context.stream(data))];
  pdf.catalog.set(PDFName.of('AcroForm'), context.obj({ Fields: [], XFA }));
  assert.equal((await read(pdf))[0]?.length, 5_001);
});

test('a page is read without what its stamps draw where that fails', async () => {
  const { pdf, page } = await newPage();
  const { context } = pdf;
  const form = { Type: 'XObject', Subtype: 'Form', BBox: [0, 0, 200, 40] };
  const N = context.register(context.stream('0 0 9 9 re f', form));
  const stamp = { Type: 'Annot', Subtype: 'Stamp', Name: 'Approved', Rect: [30, 380, 230, 420], AP: { N } };
  page.node.addAnnot(context.register(context.obj(stamp)));
  const path = join(folder, `${++files}.pdf`);
  await writeFile(path, await pdf.save());
  const opened = await openPdf(path);
  const fail = (): never => {
    throw new RangeError('The stack is full.');
  };
  const readPage = createPageReader({
    ...opened,
    withPage: (number, work) =>
      opened.withPage(number, (of) =>
        work({ ...of, pdfium: { ...of.pdfium, EPDFAnnot_ExportAppearanceAsDocument: fail } }),
      ),
  });
  const { parts, asides } = await readPage(1);
  assert.deepEqual(
    parts.flatMap(({ runs }) => runs.map(({ text }) => text)),
    [SENTENCE],
  );
  assert.deepEqual(texts(asides), ['notes: Approved']);
});

test('a watermark and labels at an angle are whole, and do not disturb the text', async () => {
  const { pdf, page } = await newPage();
  page.drawText('A second line follows it, and a third one comes after that.', { x: 30, y: 446, size: 11 });
  page.drawText('DRAFT COPY', { x: 80, y: 380, size: 60, rotate: degrees(40) });
  page.drawText('January', { x: 60, y: 200, size: 9, rotate: degrees(-45) });
  const [elements = []] = await read(pdf);
  assert.deepEqual(texts(elements), [
    `: ${SENTENCE} A second line follows it, and a third one comes after that.`,
    'page_header: DRAFT COPY',
    ': January',
  ]);
  assert.ok(elements.every(({ box: { x, y, w, h } }) => x >= 0 && y >= 0 && x + w <= 1 && y + h <= 1));
});

/** Rows of a table at columns without lines, from the top of a page. */
function drawRows(page: PDFPage, rows: readonly (readonly string[])[], top = 470): void {
  for (const [at, row] of rows.entries())
    for (const [column, text] of row.entries())
      page.drawText(text, { x: 40 + column * 110, y: top - at * 15, size: 10 });
}
const rowsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => [`P-${first + at}`, String(first + at), `${first + at}.50`]);
const tableOf = (elements: readonly PageElement[] = []) =>
  elements.flatMap((element) => (element.type === 'table' ? [element] : []))[0];

test('a table that goes on over pages has its header on each, whichever page is read first', async () => {
  const pdf = await PDFDocument.create();
  drawRows(pdf.addPage([400, 500]), [['Part', 'Stock', 'Price'], ...rowsFrom(100, 28)]);
  drawRows(pdf.addPage([400, 500]), rowsFrom(128, 29));
  const last = pdf.addPage([400, 500]);
  drawRows(last, rowsFrom(157, 4));
  last.drawText(SENTENCE, { x: 30, y: 300, size: 11 });
  const pages = await read(pdf);
  for (const [at, first] of [100, 128, 157].entries()) {
    const table = tableOf(pages[at]);
    assert.deepEqual(table?.rows.slice(0, 2), [['Part', 'Stock', 'Price'], rowsFrom(first, 1)[0]]);
    assert.equal(table?.headerRepeated, at > 0 ? true : undefined);
    assert.equal(table?.cellBoxes?.length, table?.rows.length);
  }
  const document = await openPdfDocument(join(folder, `${files}.pdf`));
  const [third] = await document.readPages(null, [3]);
  assert.deepEqual(tableOf(third?.elements)?.rows[0], ['Part', 'Stock', 'Price']);
});

test('a table at the top of a page keeps a header of its own, and one with other columns gets none', async () => {
  const pdf = await PDFDocument.create();
  drawRows(pdf.addPage([400, 500]), [['Part', 'Stock', 'Price'], ...rowsFrom(100, 28)]);
  drawRows(pdf.addPage([400, 500]), [['Tool', 'Length', 'Weight'], ...rowsFrom(200, 28)]);
  drawRows(
    pdf.addPage([400, 500]),
    rowsFrom(300, 8).map(([name = '', number = '']) => [name, number]),
  );
  const heads = (await read(pdf)).map((elements) => tableOf(elements)?.rows[0]);
  assert.deepEqual(heads, [
    ['Part', 'Stock', 'Price'],
    ['Tool', 'Length', 'Weight'],
    ['P-300', '300'],
  ]);
});

test('columns are read one after the other, however few lines they have', async () => {
  const words = (column: string, at: number) =>
    `${column} line ${at} tells of pumps and`.padEnd(34, ' of water');
  for (let lines = 4; lines <= 16; lines++) {
    const pdf = await PDFDocument.create();
    const page = pdf.addPage([400, 500]);
    const columns = ['left', 'right'].map((column) =>
      Array.from({ length: lines }, (_, at) => `${words(column, at)}${' so'.repeat(at % 4)}`.trim()),
    );
    for (const [column, texts] of columns.entries())
      for (const [at, text] of texts.entries())
        page.drawText(text, { x: 30 + column * 180, y: 460 - at * 12, size: 8 });
    const [elements = []] = await read(pdf);
    const all = listed(elements).join(' ');
    assert.ok(all.indexOf(`left line ${lines - 1}`) < all.indexOf('right line 0'), `${lines} lines`);
  }
});

test('rows without lines between them stay apart where both have numbers', async () => {
  const pdf = await PDFDocument.create();
  const page = pdf.addPage([400, 500]);
  const rows = [
    ['Item', 'Qty', 'Total'],
    ['Bolt', '10', '25.00'],
    ['Gear wheel', '4', '480.00'],
  ];
  drawRows(page, rows);
  drawRows(page, [['Washer', '100', '12.00']], 470 - 2 * 15 - 11);
  assert.deepEqual(tableOf((await read(pdf))[0])?.rows, [...rows, ['Washer', '100', '12.00']]);
});

test('a box before its label is on its line, and a line between two cells parts them', async () => {
  const { pdf, page } = await newPage();
  const form = pdf.getForm();
  for (const [at, text] of ['Express', 'Fragile', 'Insured'].entries()) {
    form
      .createCheckBox(text)
      .addToPage(page, { x: 20, y: 400 - at * 30, width: 14, height: 14, borderWidth: 0 });
    page.drawText(text, { x: 40, y: 403 - at * 30, size: 11 });
  }
  for (const [row, cells] of [
    ['Phase', 'Q1', 'Q2'],
    ['Draft', '15', '25'],
    ['Build', '30', '40'],
  ].entries())
    for (const [column, text] of cells.entries())
      page.drawText(text, { x: [30, 66, 88][column] ?? 0, y: 205 - row * 20, size: 11 });
  for (const y of [220, 200, 180, 160]) page.drawLine({ start: { x: 27, y }, end: { x: 106, y } });
  for (const x of [27, 63, 84, 106]) page.drawLine({ start: { x, y: 220 }, end: { x, y: 160 } });
  const [elements = []] = await read(pdf);
  const shown = listed(elements).join('\n');
  for (const text of ['☐ Express', '☐ Fragile', '☐ Insured']) assert.ok(shown.includes(text), shown);
  assert.match(shown, /\| Phase \| Q1 \| Q2 \|\n.*\n\| Draft \| 15 \| 25 \|\n\| Build \| 30 \| 40 \|/);
});

test('lines that part cells are compared with a bounded number of gaps', () => {
  let compared = 0;
  const rules = Array.from({ length: 1_000 }, (_, at) => ({
    x1: at === 0 ? 503 : 105_006,
    y0: 0,
    y1: 100,
    get x0() {
      compared += 1;
      return this.x1;
    },
  }));
  const runs = createRunCollector(rules);
  const look = { bold: false, italic: false, monospaced: false };
  for (let at = 0; at < 20_000; at += 1)
    runs.add(0x61, { x0: at * 7, x1: at * 7 + 5, baseline: 50, size: 10, turns: 0, angle: 0, look });
  const [found] = runs.finish();
  assert.deepEqual(
    found.map(({ text }) => text.length),
    [72, 19_928],
  );
  assert.ok(compared < 11_000_000, String(compared));
});
