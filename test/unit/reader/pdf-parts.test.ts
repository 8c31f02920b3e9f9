import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';
import { openDocument } from 'darkroom-reader/open';
import { PDFDocument } from 'pdf-lib';
import sharp from 'sharp';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';

/** Pages of a PDF as a PDF of their own, and what is on pages without text. */
const folder = await mkdtemp(join(tmpdir(), 'darkroom-parts-'));
after(() => rm(folder, { recursive: true }));

async function open(bytes: Uint8Array) {
  const path = join(folder, `${randomBytes(4).toString('hex')}.pdf`);
  await writeFile(path, bytes);
  return openDocument({ path, type: 'pdf' });
}

test('a part has the text and pictures of its pages, and nothing of other pages', async () => {
  const whole = await PDFDocument.create();
  for (const text of ['First letter', 'Second letter', 'Third letter']) {
    const raw = { width: 300, height: 300, channels: 3 } as const;
    const noise = await sharp(randomBytes(300 * 300 * 3), { raw })
      .png()
      .toBuffer();
    const page = whole.addPage([595, 842]);
    page.drawImage(await whole.embedPng(noise), { x: 50, y: 50, width: 300, height: 300 });
    page.drawText(text, { x: 50, y: 700 });
  }
  const bytes = await whole.save();
  const document = await open(bytes);
  const part = await document.extractPages?.(2, 3);
  assert.ok(part);
  assert.ok(part.length < bytes.length * 0.75, `${part.length} of ${bytes.length}`);
  const read = await open(part);
  assert.equal(read.pageCount, 2);
  const [page] = await read.readPages(null, [1]);
  assert.match(JSON.stringify(page), /Second letter/);
});

test('blank pages and barcodes are told from their images', async () => {
  const wasm = await readFile(fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm')));
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer }, fireImmediately: true });
  const { image } = await writeBarcode('SEPARATOR-7', { format: 'Code128', scale: 3 });
  const pages = await PDFDocument.create();
  pages.addPage([595, 842]);
  const png = await pages.embedPng(await (image ?? new Blob([])).arrayBuffer());
  pages.addPage([595, 842]).drawImage(png, { x: 100, y: 400, width: 380, height: 100 });
  const document = await open(await pages.save());
  assert.deepEqual(await document.pagePicture?.(1), { ink: 0, barcodes: [] });
  const sheet = await document.pagePicture?.(2);
  assert.deepEqual(sheet?.barcodes, ['SEPARATOR-7']);
  assert.ok(sheet.ink > 0.004);
});
