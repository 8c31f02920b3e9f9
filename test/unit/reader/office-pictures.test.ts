/** Pages of Office files that are a picture and nothing else are recognised, like those of a PDF. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { readingNote } from 'darkroom-reader/document';
import { openDocument } from 'darkroom-reader/open';
import { UnreadableDocument } from 'darkroom-reader';
import { shape, writePptx } from '../../support/office-files.ts';
import { writeOpenDocument } from '../../support/open-documents.ts';
import { writeZip } from '../../support/zip-writer.ts';

let folder: string;
let scan: Buffer;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-pictures-'));
  scan = await sharp({ create: { width: 850, height: 1100, channels: 3, background: 'white' } })
    .png()
    .toBuffer();
});
after(() => rm(folder, { recursive: true, force: true }));

async function open(type: 'docx' | 'pptx' | 'odt', bytes: Uint8Array) {
  const path = join(folder, `document.${type}`);
  await writeFile(path, bytes);
  const document = await openDocument({ path, type });
  const { pageCount, pagesToRecognise, profile } = await document.inspect();
  return { document, pageCount, pagesToRecognise, note: readingNote(profile) };
}

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const A = 'http://schemas.openxmlformats.org/drawingml/2006/main';
const PIC = 'http://schemas.openxmlformats.org/drawingml/2006/picture';
const R = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const picture =
  '<w:p><w:r><w:drawing><pic:pic><pic:blipFill><a:blip r:embed="p1"/></pic:blipFill></pic:pic></w:drawing></w:r></w:p>';
const docx = (body: string, name = 'image1.png', bytes: Uint8Array = scan) =>
  writeZip([
    {
      name: 'word/document.xml',
      content: `<w:document xmlns:w="${W}" xmlns:a="${A}" xmlns:pic="${PIC}" xmlns:r="${R}"><w:body>${body}</w:body></w:document>`,
    },
    {
      name: 'word/_rels/document.xml.rels',
      content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="p1" Type="${R}/image" Target="media/${name}"/></Relationships>`,
    },
    { name: `word/media/${name}`, content: bytes },
  ]);

test('a Word document of scans has a page for each, to be recognised', async () => {
  const { document, pageCount, pagesToRecognise, note } = await open('docx', docx(picture + picture));
  assert.deepEqual([pageCount, pagesToRecognise, note], [2, [1, 2], null]);
  const { width, height, grey } = await document.renderPage(2);
  assert.deepEqual([width, height, grey.length], [850, 1100, 850 * 1100]);
});

test('pictures beside text, and drawings of Office programs, are figures', async () => {
  const text = '<w:p><w:r><w:t>A picture of the mill:</w:t></w:r></w:p>';
  assert.deepEqual((await open('docx', docx(text + picture))).pagesToRecognise, []);
  const { pagesToRecognise, note } = await open('docx', docx(picture, 'image1.emf'));
  assert.deepEqual(pagesToRecognise, []);
  assert.match(note ?? '', /Text in pictures was not read/);
});

test('a damaged picture fails its page, not the document', async () => {
  const { document, pagesToRecognise } = await open(
    'docx',
    docx(picture, 'image1.png', Buffer.from('no picture')),
  );
  assert.deepEqual(pagesToRecognise, [1]);
  await assert.rejects(document.renderPage(1), UnreadableDocument);
});

test('a slide, and a page of an OpenDocument text, that is a picture is recognised', async () => {
  const slide =
    '<p:pic><p:nvPicPr><p:cNvPr id="1" name="a"/></p:nvPicPr><p:blipFill><a:blip r:embed="c1"/></p:blipFill></p:pic>';
  const slides = writePptx(
    [{ shapes: shape('Text') }, { shapes: slide }],
    [
      {
        name: 'ppt/slides/_rels/slide1.xml.rels',
        content: `<Relationships><Relationship Id="c1" Type="${R}/image" Target="../media/a.png"/></Relationships>`,
      },
      { name: 'ppt/media/a.png', content: scan },
    ],
  );
  const presentation = await open('pptx', slides);
  assert.deepEqual(presentation.pagesToRecognise, [2]);
  assert.equal((await presentation.document.renderPage(2)).height, 1100);
  const text = writeOpenDocument(
    'text',
    '<text:p><draw:frame><draw:image xlink:href="Pictures/1.png"/></draw:frame></text:p>',
    {
      others: [{ name: 'Pictures/1.png', content: scan }],
    },
  );
  const { document, pagesToRecognise } = await open('odt', text);
  assert.deepEqual(pagesToRecognise, [1]);
  assert.equal((await document.renderPage(1)).width, 850);
});
