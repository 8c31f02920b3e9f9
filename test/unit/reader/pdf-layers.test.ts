import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PDFDocument, PDFName, type PDFObject, type PDFRef, PDFString, StandardFonts } from 'pdf-lib';
import { plainText } from 'darkroom-reader/document';
import { openPdfDocument } from '../../../packages/reader/src/pdf/pdf-document.ts';

let folder: string;
before(async () => (folder = await mkdtemp(join(tmpdir(), 'darkroom-layers-'))));
after(() => rm(folder, { recursive: true, force: true }));

const SENTENCE = 'The harbour is quiet in the winter, and the captain reads.';
let files = 0;

/** A page with two layers, `off` and `on`, a combination of both and one of either, and forms (XObjects) by their names. */
async function newPage() {
  const pdf = await PDFDocument.create();
  const { context } = pdf;
  const page = pdf.addPage([400, 500]);
  const [off, on] = ['Draft', 'Final'].map((name) =>
    context.register(context.obj({ Type: 'OCG', Name: PDFString.of(name) })),
  ) as [PDFRef, PDFRef];
  pdf.catalog.set(PDFName.of('OCProperties'), context.obj({ OCGs: [off, on], D: { OFF: [off] } }));
  const [both, either] = ['AllOn', 'AnyOn'].map((P) =>
    context.register(context.obj({ Type: 'OCMD', OCGs: [off, on], P })),
  ) as [PDFRef, PDFRef];
  const font = (await pdf.embedFont(StandardFonts.Helvetica)).ref;
  const layers = { off, on, both, either };
  const resources = (XObject: Record<string, PDFRef> = {}) => ({
    Font: { F: font },
    Properties: layers,
    XObject,
  });
  const stream = (content: string, entries: Record<string, PDFObject> = {}, inner?: Record<string, PDFRef>) =>
    context.register(
      context.stream(content, {
        Type: 'XObject',
        Subtype: 'Form',
        BBox: [0, 0, 400, 500],
        Resources: resources(inner),
        ...entries,
      }),
    );
  return {
    pdf,
    page,
    layers,
    form: stream,
    /** The text of the page with such content. */
    read: async (content: string, forms: Record<string, PDFRef> = {}): Promise<string> => {
      page.node.set(PDFName.of('Resources'), context.obj(resources(forms)));
      page.node.addContentStream(context.register(context.stream(`${line(SENTENCE, 460)} ${content}`)));
      const path = join(folder, `${++files}.pdf`);
      await writeFile(path, await pdf.save());
      const document = await openPdfDocument(path);
      const { profile } = await document.inspect();
      const [read] = await document.readPages(profile, [1]);
      return (read?.elements ?? []).map(plainText).join(' ');
    },
  };
}

const line = (text: string, y: number, how = ''): string => `BT ${how} /F 11 Tf 30 ${y} Td (${text}) Tj ET`;
const inLayer = (name: string, content: string): string => `/OC /${name} BDC ${content} EMC`;

test('text of layers that are switched off is not read, that of others and of combinations is', async () => {
  const { read } = await newPage();
  const drawn = [
    inLayer('off', line('Price of the draft', 400)),
    inLayer('on', line('Price of the shop', 400)),
    inLayer('both', line('Price of both', 360)),
    inLayer('either', line('Price of either', 320)),
  ];
  assert.equal(await read(drawn.join('\n')), `${SENTENCE} Price of the shop Price of either`);
});

test('a form in a layer that is off is not read, whether the page, the form or one around it says so', async () => {
  const { read, form, layers } = await newPage();
  const forms = {
    Marked: form(line('Price of the marked form', 420)),
    Own: form(line('Price of the draft', 400), { OC: layers.off }),
    Shown: form(line('Price of the shop', 380), { OC: layers.on }),
    Both: form(line('Price of both', 360), { OC: layers.both }),
    Around: form('/Inner Do', {}, { Inner: form(line('Price of the inner form', 340), { OC: layers.off }) }),
    Within: form(`${inLayer('off', line('Marked within', 320))} ${line('Shown within', 300)}`),
    Plain: form(line('Price of none', 280)),
  };
  const drawn = `${inLayer('off', '/Marked Do')} /Own Do /Shown Do /Both Do /Around Do /Within Do /Plain Do`;
  assert.equal(await read(drawn, forms), `${SENTENCE} Price of the shop Shown within Price of none`);
});

test('what cannot be seen for other reasons than its layer is read', async () => {
  const { read, form, layers } = await newPage();
  const forms = { Recognised: form(line('Recognised text of a scan', 380, '3 Tr'), { OC: layers.on }) };
  const drawn = [
    inLayer('on', line('White text of a layer', 420, '1 g')),
    inLayer('on', `BT /F 11 Tf 30 900 Td (Beyond the page) Tj ET ${line('Behind one beyond the page', 400)}`),
    '/Recognised Do',
    inLayer('on', `${line('Covered text', 360)} 1 g 0 350 400 30 re f`),
  ];
  assert.equal(
    await read(drawn.join('\n'), forms),
    `${SENTENCE} White text of a layer Behind one beyond the page Recognised text of a scan Covered text`,
  );
});

test('lines of a layer that is off part no cells', async () => {
  const { read } = await newPage();
  const rows = [0, 1, 2].map((at) => line(`Row ${at} of the text goes on and on`, 400 - at * 14));
  const grid = [412, 396, 382, 368].map((y) => `30 ${y} m 300 ${y} l S`);
  const lines = [...grid, ...[30, 60, 300].map((x) => `${x} 368 m ${x} 412 l S`)].join(' ');
  const text = await read(`${rows.join(' ')} ${inLayer('off', lines)}`);
  assert.match(text, /Row 0 of the text goes on and on Row 1/);
});

test('grey text of a layer that is on is read, whatever grey it has', async () => {
  const { read, form, layers } = await newPage();
  const forms = { Own: form(line('Grey form', 340, '0.50196 g'), { OC: layers.on }) };
  const drawn = `${inLayer('on', line('Grey text', 400, '0.50196 g'))} /Own Do`;
  assert.equal(await read(drawn, forms), `${SENTENCE} Grey text Grey form`);
});

test('forms that may be in a layer by themselves do not keep one that is off from being found', async () => {
  const { read, form, layers } = await newPage();
  const icons = {
    Icon: form('10 10 5 5 re f'),
    Own: form(line('Price of the draft', 400), { OC: layers.off }),
  };
  assert.equal(await read(`${'/Icon Do '.repeat(120)} /Own Do`, icons), SENTENCE);
  const { read: readOther, form: other, layers: ofOther } = await newPage();
  const words = { Word: other(line('Word', 380)), Own: other('10 10 5 5 re f', { OC: ofOther.off }) };
  const marked = inLayer('off', line('Price of the draft', 400));
  assert.equal(await readOther(`/Own Do ${'/Word Do '.repeat(120)} ${marked}`, words), `${SENTENCE} Word`);
});

test('recognised text of a layer that is on is read beside what cannot be seen, that of one that is off is not', async () => {
  const { read } = await newPage();
  const recognised = (name: string, y: number, beside: string): string =>
    inLayer(name, `${line(`Recognised ${name}`, y, '3 Tr')} ${beside}`);
  const drawn = [
    recognised('on', 400, '900 900 20 20 re f'),
    recognised('off', 360, line('Price of the draft', 340, '0 Tr')),
  ];
  assert.equal(await read(drawn.join(' ')), `${SENTENCE} Recognised on`);
});
